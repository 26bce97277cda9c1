#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    va_list args;

    err->kind = kind;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    return false;
}

bool error_wrap(struct error *err, const char *format, ...)
{
    char inner[sizeof(err->text)];
    va_list args;

    memcpy(inner, err->text, sizeof(inner));
    va_start(args, format);
    int len = vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof(err->text)) {
        return false;
    }
    (void)snprintf(err->text + len, sizeof(err->text) - (size_t)len, ": %s", inner);
    return false;
}

/* The GNU strerror_r uses the room only for numbers that it does not know; that of POSIX always. */
static const char *reason_of(int number, char *room, size_t size)
{
#ifdef __GLIBC__
    return strerror_r(number, room, size);
#else
    return strerror_r(number, room, size) == 0 ? room : "unknown error";
#endif
}

bool error_errno(struct error *err, const char *format, ...)
{
    int number = errno;
    va_list args;

    err->kind = ERROR_SYSTEM;
    va_start(args, format);
    int len = vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    if (len >= 0 && (size_t)len < sizeof(err->text)) {
        char room[128];
        (void)snprintf(err->text + len, sizeof(err->text) - (size_t)len, ": %s", reason_of(number, room, sizeof(room)));
    }
    return false;
}
