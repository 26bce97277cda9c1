/* head_lines.h - response headers of single routes (Location, Set-Cookie), and the cookies of a request. */
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

/* `name` is static. False: no room, or not visible ASCII and spaces. */
MUST_CHECK bool head_lines_add(struct head_lines *h, const char *name, struct span value);

/* The value of a cookie; empty if it is absent or duplicated. Borrowed from the connection. */
struct span head_cookie(struct MHD_Connection *connection, const char *name);

#endif
