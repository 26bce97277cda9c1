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
/* The parameters state, before and limit. False with an answer. */
MUST_CHECK bool feedback_list(struct request *r, struct feedback_list *out);

/* Write a member after another one. */
void put_member(struct writer *w, const char *name, const char *text); /* omitted if empty */
void put_count(struct writer *w, const char *name, uint64_t n);
void put_flag(struct writer *w, const char *name, bool flag);
void put_ms(struct writer *w, const char *name, int64_t utc_ms); /* omitted if 0 */
/* After the rows. */
void put_next(struct writer *w, uint64_t before);

#endif
