/* head.h - refuses a request with an ambiguous head (RFC 9112) and closes its connection.
 *
 * libmicrohttpd is lenient: it uses the first of two lengths, joins folded lines and treats a name with a trailing blank
 * as another name. A proxy in front may parse such a head differently, and treat as a separate request what
 * filterd treats as a body (request smuggling). This module therefore refuses any deviation from the grammar, before the
 * route is looked up.
 *
 * Names and values of libmicrohttpd 0.9 and 1.0 point into the original head, with NULs in place of line ends. The bytes
 * between two of them, and the total length of the head, show whether each line ended in CRLF and none was folded. With a
 * library that returned copies every request would fail, not pass. */
#ifndef FILTERD_HTTP_HEAD_H
#define FILTERD_HTTP_HEAD_H

#include <microhttpd.h>
#include <stdbool.h>

struct head_fault {
    unsigned status; /* 400, 417 or 501 */
    const char *detail;
};

/* NULL: no fault. Call it in libmicrohttpd's first call for a request, with its arguments. */
const struct head_fault *head_check(struct MHD_Connection *connection, const char *method, const char *target,
                                    const char *version);

#endif
