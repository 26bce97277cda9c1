/* error.h - errors: a kind and a text, in the caller's storage.
 *
 * A function that can fail is MUST_CHECK bool with `struct error *err` last: true is success, err is
 * set only on failure, outputs are untouched on failure. The text names what, where and what was
 * expected; it never contains inspected text, a match or a credential. */
#ifndef FILTERD_BASE_ERROR_H
#define FILTERD_BASE_ERROR_H

#include <stdbool.h>

#define MUST_CHECK __attribute__((warn_unused_result))

enum error_kind {
    ERROR_INTERNAL,  /* a bug: a library call failed, an invariant broke */
    ERROR_NO_MEMORY,
    ERROR_LIMIT,     /* a stated limit was reached */
    ERROR_MALFORMED, /* bytes that do not parse */
    ERROR_INVALID,   /* parses, but has the wrong shape or value */
    ERROR_NOT_FOUND,
    ERROR_DENIED,
    ERROR_SYSTEM,    /* a system call failed; the text includes strerror */
};

struct error {
    enum error_kind kind;
    char text[400];
};

/* Both return false, so that `return error_set(...)` leaves a function. */
bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prepends "prefix: " to the text. */
bool error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* kind SYSTEM, "...: strerror(errno)". */
bool error_errno(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
