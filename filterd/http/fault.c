#include "http/fault.h"

#include <stdarg.h>
#include <stdio.h>

bool fault_set(struct filter_fault *fault, unsigned status, const char *pointer, const char *format,
               ...)
{
    va_list args;

    fault->status = status;
    (void)snprintf(fault->pointer, sizeof(fault->pointer), "%s", pointer);
    va_start(args, format);
    (void)vsnprintf(fault->detail, sizeof(fault->detail), format, args);
    va_end(args);
    return false;
}

enum { NAME_SHOWN_MAX = 20 };

static bool may_be_shown(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '_') {
            return false;
        }
    }
    return name.len > 0 && name.len <= NAME_SHOWN_MAX;
}

bool fault_set_unknown(struct filter_fault *fault, struct span name, const char *expected)
{
    char pointer[NAME_SHOWN_MAX + 2] = "";

    if (may_be_shown(name)) {
        (void)snprintf(pointer, sizeof(pointer), "/" SPAN_FMT, SPAN_ARG(name));
    }
    return fault_set(fault, 422, pointer, "%s", expected);
}

bool fault_set_error(struct filter_fault *fault, const struct error *err)
{
    bool is_limit = err->kind == ERROR_LIMIT;

    return fault_set(fault, is_limit ? 413 : 503, "", "%s",
                     is_limit ? "the body needs more working memory than one request may have"
                              : "out of memory");
}
