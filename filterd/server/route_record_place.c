/* route_record_place.c - GET /v1/record: where the decision log and the state are, and what is configured about keeping it, for
 * tools on the same machine. */
#include <limits.h>
#include <unistd.h>

#include "http/writer.h"
#include "server/routes.h"

/* Absolute: who asks is in another folder. */
static void put_path(struct writer *w, const char *name, const char *path)
{
    char folder[PATH_MAX] = "";
    struct buf whole;

    buf_init(&whole, 2 * PATH_MAX);
    w->is_ok = w->is_ok &&
               (path[0] == '/' || (getcwd(folder, sizeof(folder)) != NULL && buf_appendf(&whole, w->err, "%s/", folder))) &&
               buf_append_str(&whole, path, w->err);
    put(w, name);
    put_string(w, buf_span(&whole));
    buf_deinit(&whole);
}

static void put_text(struct writer *w, const char *name, const char *text)
{
    if (text != NULL) {
        put(w, name);
        put_string(w, span_str(text));
    }
}

static void put_retention(struct writer *w, const struct service_options *o)
{
    put_text(w, ",\"keep\":", o->keep);
    put_text(w, ",\"ship_required\":", o->ship_required);
    if (o->ship_state != NULL) {
        put_path(w, ",\"ship\":", o->ship_state);
    }
}

enum step route_record_run(struct request *r)
{
    const struct service_options *o = r->service->options;
    struct error err;
    struct writer w = {.out = &r->answer, .err = &err, .is_ok = true};

    r->reply = (struct reply){.status = 200, .type = "application/json"};
    put_path(&w, "{\"log\":", o->log);
    if (o->state_directory != NULL) {
        put_path(&w, ",\"state\":", o->state_directory);
    }
    put_retention(&w, o);
    put(&w, "}\n");
    if (!w.is_ok) {
        request_overload(r, "out of memory");
    }
    return STEP_ANSWERED;
}
