/* feedback_json.h - shared by the routes of exceptions, reveals and quality: caller, bodies, pagination, JSON members. */
#ifndef FILTERD_SERVER_FEEDBACK_JSON_H
#define FILTERD_SERVER_FEEDBACK_JSON_H

#include "http/members.h"
#include "http/writer.h"
#include "server/record_job.h"
#include "service/access.h"

enum { FEEDBACK_BODY_MAX = 16 * 1024, FEEDBACK_LIST_DEFAULT = 50, FEEDBACK_LIST_MAX = 500, FEEDBACK_MEMORY = 64 * 1024 };

extern const struct member_type member_number; /* uint64_t */

/* False with an answer. */
MUST_CHECK bool feedback_caller(struct request *r, struct caller *out);
/* The body, into `out`. False with an answer. */
MUST_CHECK bool feedback_body(struct request *r, struct arena *memory, const struct member *members, void *out);

struct feedback_list {
    struct span state; /* a name; empty: all */
    uint64_t before, limit;
};

/* Write a member after another one. */
void put_member(struct writer *w, const char *name, const char *text); /* omitted if empty */
void put_count(struct writer *w, const char *name, uint64_t n);
void put_flag(struct writer *w, const char *name, bool flag);
void put_ms(struct writer *w, const char *name, int64_t utc_ms); /* omitted if 0 */
/* --- a list of rows --------------------------------------------------------------- */

struct feedback_rows {
    struct writer w;
    int64_t now_ms;
    bool has_some;
};
/* Who asks, and for which rows. False with an answer. */
MUST_CHECK bool feedback_rows_init(struct feedback_rows *rows, struct request *r, struct caller *c, struct feedback_list *l, struct error *err);
/* The tenant of the caller; ptr NULL: all. */
struct span feedback_tenant(const struct caller *c);
void feedback_rows_next(struct feedback_rows *rows, struct error *err); /* before each row */
void feedback_rows_end(struct feedback_rows *rows, uint64_t before);    /* `before` of the next page; 0: this is the last one */

/* A route that a worker runs: `show` is a record_show_fn, and `type` the content type of its answer. */
#define FEEDBACK_ROUTE(name, show, type)                                                                                   \
    static void name##_job(void *context, struct worker *w)                                                                \
    {                                                                                                                      \
        record_job_run(context, w, show, type, "no-store");                                                                \
    }                                                                                                                      \
    enum step route_##name##_run(struct request *r)                                                                       \
    {                                                                                                                      \
        return record_job_queue(r, name##_job);                                                                            \
    }

#endif
