#include "ctl/complain.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "ctl/mask.h"

enum { LINE_MAX_BYTES = 16 * 1024, ESCAPED_MAX = 16 * LINE_MAX_BYTES };

static void print(FILE *to, const char *prefix, const char *format, va_list args)
{
    struct buf escaped CLEANUP(buf_deinit);
    char line[LINE_MAX_BYTES];
    struct error err;

    buf_init(&escaped, ESCAPED_MAX);
    (void)vsnprintf(line, sizeof(line), format, args);
    if (!mask_append_escaped(&escaped, span_str(line), &err)) {
        buf_clear(&escaped);
    }
    (void)fprintf(to, "%s%.*s\n", prefix, (int)escaped.len, escaped.len > 0 ? escaped.data : "");
}

void complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(stderr, "filterctl: ", format, args);
    va_end(args);
}

void complain_of(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(stderr, "", format, args);
    va_end(args);
}

void print_line(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(stdout, "", format, args);
    va_end(args);
}
