/* route_exports.c - evidence bundles made by the service: POST /v1/exports, GET /v1/exports/{id}. */
#include "base/cleanup.h"
#include "server/feedback_json.h"
#include "service/exports.h"

static const char json[] = "application/json", no_store[] = "no-store";

struct asked {
    struct span query, why;
};

#define AT(member) offsetof(struct asked, member), 0
static const struct member members[] = {{"query", &member_text, AT(query)}, {"why", &member_text, AT(why)}, {0}};
#undef AT

static bool put_view(struct request *r, const struct export_view *v, struct error *err)
{
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};

    put(&w, "{\"id\":");
    put_string(&w, span_str(v->id));
    put_member(&w, "state", export_state_name(v->state));
    put_count(&w, "read", v->read);
    put_count(&w, "lines", v->lines);
    put_member(&w, "detail", v->detail);
    put_ms(&w, "until", v->until_ms);
    put(&w, "}\n");
    return w.is_ok;
}

static bool show_begun(struct request *r, struct error *err)
{
    struct arena memory CLEANUP(arena_deinit);
    struct asked asked = {{"", 0}, {"", 0}};
    struct export_answer a;
    struct caller c;

    arena_init(&memory, 0, FEEDBACK_MEMORY);
    if (!feedback_caller(r, &c) || !feedback_body(r, &memory, members, &asked)) {
        return false;
    }
    exports_begin(r->service, &c, asked.query, asked.why, &a);
    if (a.status != 202) {
        request_problem(r, a.status, a.detail, NULL);
        return false;
    }
    if (!put_view(r, &a.view, err)) {
        return false;
    }
    r->reply = (struct reply){.status = 202, .type = json, .cache = no_store};
    return true;
}

static bool show_file(struct request *r, const struct caller *c)
{
    uint64_t size = 0;
    int file = exports_file(r->service, c, span_str(r->parameter), &size);

    if (file < 0) {
        request_problem(r, 404, "no export of yours has this id", NULL);
        return false;
    }
    r->reply = (struct reply){.status = 200, .type = "application/x-tar", .cache = no_store, .attachment = "evidence.tar",
                              .has_file = true, .file = file, .file_size = size};
    return true;
}

static bool show_one(struct request *r, struct error *err)
{
    struct export_view v;
    struct caller c;

    if (!feedback_caller(r, &c)) {
        return false;
    }
    if (!exports_look(r->service, &c, span_str(r->parameter), &v)) {
        request_problem(r, 404, "no export of yours has this id", NULL);
        return false;
    }
    return v.state == EXPORT_DONE ? show_file(r, &c) : put_view(r, &v, err);
}

static void begin_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_begun, json, no_store);
}

static void look_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_one, json, no_store);
}

enum step route_export_begin_run(struct request *r)
{
    return record_job_queue(r, begin_job);
}

enum step route_export_run(struct request *r)
{
    return record_job_queue(r, look_job);
}
