#include "http/problem.h"

#include "http/writer.h"

static const char *status_title(unsigned status)
{
    static const struct {
        unsigned status;
        const char *title;
    } titles[] = {
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < COUNT(titles); i++) {
        if (titles[i].status == status) {
            return titles[i].title;
        }
    }
    return "Internal Server Error";
}

bool problem_write(struct buf *out, unsigned status, const char *detail, const char *pointer,
                   struct error *err)
{
    struct writer w = {.out = out, .err = err, .is_ok = true};

    put(&w, "{\"type\":\"about:blank\",\"title\":");
    put_string(&w, span_str(status_title(status)));
    put(&w, ",\"status\":");
    put_number(&w, status);
    put(&w, ",\"detail\":");
    put_string(&w, span_str(detail));
    if (pointer != NULL) {
        put(&w, ",\"pointer\":");
        put_string(&w, span_str(pointer));
    }
    put(&w, "}");
    return w.is_ok;
}
