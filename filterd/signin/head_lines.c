#include "signin/head_lines.h"

bool head_lines_add(struct head_lines *h, const char *name, struct span value)
{
    if (h->n == HEAD_LINES_MAX || value.len > HEAD_LINE_MAX) {
        return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] < ' ' || value.ptr[i] > '~') {
            return false;
        }
    }
    h->lines[h->n].name = name;
    memcpy(h->lines[h->n].value, value.ptr, value.len);
    h->lines[h->n].value[value.len] = '\0';
    h->n++;
    return true;
}

struct wanted {
    struct span name, value;
    unsigned n;
};

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result take_cookie(void *context, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
                                   size_t value_len)
{
    struct wanted *w = context;

    (void)kind;
    if (span_equal(span_of(name, name_len), w->name)) {
        w->value = span_of(value == NULL ? "" : value, value_len);
        w->n++;
    }
    return MHD_YES;
}

/* If there are two, one was planted: both are ignored. */
struct span head_cookie(struct MHD_Connection *connection, const char *name)
{
    struct wanted w = {.name = span_str(name)};

    (void)MHD_get_connection_values_n(connection, MHD_COOKIE_KIND, take_cookie, &w);
    return w.n == 1 ? w.value : span_of("", 0);
}
