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

bool fault_set_error(struct filter_fault *fault, const struct error *err)
{
    bool is_limit = err->kind == ERROR_LIMIT;

    return fault_set(fault, is_limit ? 413 : 503, "", "%s",
                     is_limit ? "the body needs more working memory than one request may have"
                              : "out of memory");
}
