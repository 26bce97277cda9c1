/* head_lines.h - lines of an answer's head that only some routes set: Location, Set-Cookie. And the cookies of a request. */
#ifndef FILTERD_SIGNIN_HEAD_LINES_H
#define FILTERD_SIGNIN_HEAD_LINES_H

#include <microhttpd.h>

#include "base/span.h"
#include "base/error.h"

enum { HEAD_LINES_MAX = 4, HEAD_LINE_MAX = 1024 };

struct head_lines {
    size_t n;
    struct head_line {
        const char *name;
        char value[HEAD_LINE_MAX + 1];
    } lines[HEAD_LINES_MAX];
};

/* `name` is static. False: it has no room, or is not of visible ASCII and spaces. */
MUST_CHECK bool head_lines_add(struct head_lines *h, const char *name, struct span value);

/* The value of a cookie; empty: there is none, or there are two of that name. Borrowed from the connection. */
struct span head_cookie(struct MHD_Connection *connection, const char *name);

#endif
