/* route_record.c - GET /v1/record: where the decision log is, for tools on the same machine. */
#include <limits.h>
#include <unistd.h>

#include "http/writer.h"
#include "server/routes.h"

enum step route_record_run(struct request *r)
{
    const char *log = r->service->options->log;
    char folder[PATH_MAX] = "";
    struct error err;
    struct writer w = {.out = &r->answer, .err = &err, .is_ok = true};
    struct buf path;

    buf_init(&path, 2 * PATH_MAX);
    r->reply = (struct reply){.status = 200, .type = "application/json"};
    w.is_ok = (log[0] == '/' || (getcwd(folder, sizeof(folder)) != NULL && buf_appendf(&path, &err, "%s/", folder))) &&
              buf_append_str(&path, log, &err);
    put(&w, "{\"log\":");
    put_string(&w, buf_span(&path));
    put(&w, "}\n");
    buf_deinit(&path);
    if (!w.is_ok) {
        request_overload(r, "out of memory");
    }
    return STEP_ANSWERED;
}
