/* head.h - the head of a request has one reading (RFC 9112), or the request is refused and its connection closed.
 *
 * libmicrohttpd is lenient: it takes the first of two lengths, joins folded lines and takes a name with a blank behind
 * it for another name. A proxy on the way may read such a head differently, and take for a request of its own what
 * filterd took for a body. So everything that the grammar does not have is refused here, before the route is looked up.
 *
 * Names and values of libmicrohttpd 0.9 point into the head as it came, with NULs in place of line ends. What is
 * between two of them, and how long the head is in all, tells whether each line ended in CRLF and none was joined. A
 * library that hands out copies would make every request fail, not pass. */
#ifndef FILTERD_HTTP_HEAD_H
#define FILTERD_HTTP_HEAD_H

#include <microhttpd.h>
#include <stdbool.h>

struct head_fault {
    unsigned status; /* 400, 417 or 501 */
    const char *detail;
};

/* NULL: there is none. In libmicrohttpd's first call for a request, with what it hands over. */
const struct head_fault *head_check(struct MHD_Connection *connection, const char *method, const char *target,
                                    const char *version);

#endif
