/* route_page.c - GET and POST of /review, the review page. Workers render pages, because an access line must be on disk first;
 * urgent requests are answered at once. */
#include "signin/head_lines.h"
#include "page/page.h"
#include "server/record_job.h"

static const char root[] = "/review";

/* The path after /review. */
static struct span path_of(const struct request *r, char *text, size_t size)
{
    bool is_root = strcmp(r->route->path, root) == 0;

    (void)snprintf(text, size, "%s%s", is_root ? "" : "/", is_root ? "" : r->parameter);
    return span_str(text);
}

static bool is_post(const struct request *r)
{
    return strcmp(r->route->method, "POST") == 0;
}

static void run(struct request *r)
{
    char path[REQUEST_PARAMETER_MAX + 2];

    page_run(r, path_of(r, path, sizeof(path)), is_post(r));
}

static void page_job(void *context, struct worker *w)
{
    struct request *r = context;

    if (w == NULL) {
        request_overload(r, "the service is stopping");
    } else {
        run(r);
    }
    request_resume(r);
}

enum step route_page_run(struct request *r)
{
    char path[REQUEST_PARAMETER_MAX + 2];

    r->head = calloc(1, sizeof(*r->head));
    if (!page_is_urgent(path_of(r, path, sizeof(path)), is_post(r))) {
        return record_job_queue(r, page_job);
    }
    run(r);
    return STEP_ANSWERED;
}
