/* head.h - a strict parser for the head of an HTTP/1 message (RFC 9110, RFC 9112).
 *
 * Ambiguous syntax is refused: line ends other than CR LF, folded lines, white
 * space before a colon, control bytes, a second Content-Length or Transfer-Encoding, both of them at
 * once, transfer codings other than "chunked", versions other than 1.0 and 1.1. Nothing is forwarded
 * verbatim: a message is serialized anew. Spans point into the text. Any thread.
 *
 * Debian 12 packages no suitable parser for C: libcurl's reads only responses, and
 * http-parser is unmaintained and lenient. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_HEAD_H
#define FILTERD_JAIL_EGRESS_WIRE_HEAD_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { EGRESS_HEADERS_MAX = 128, EGRESS_LENGTH_DIGITS = 15 };

struct egress_header {
    struct span name, value; /* the value without white space around it; may be empty */
};

enum egress_framing { EGRESS_BODY_NONE, EGRESS_BODY_LENGTH, EGRESS_BODY_CHUNKED, EGRESS_BODY_TO_END };

struct egress_head {
    struct span method, target; /* of a request */
    unsigned status;            /* of a response */
    struct span reason;         /* likewise; may be empty */
    unsigned minor;             /* of HTTP/1.minor */
    struct egress_header headers[EGRESS_HEADERS_MAX];
    size_t n;
    enum egress_framing framing;
    int64_t length; /* of EGRESS_BODY_LENGTH */
};

/* The length of the head including the empty line that ends it; 0 when it is incomplete. */
size_t egress_head_length(struct span bytes);

/* `text` is a complete head. A request has exactly one Host; CONNECT, which many clients send without, at most one.
 * MALFORMED, without quoting input. */
MUST_CHECK bool egress_request_read(struct span text, struct egress_head *out, struct error *err);
/* `method` is that of the request. The framing of a response to HEAD, of 1xx, 204 and 304 is NONE. */
MUST_CHECK bool egress_response_read(struct span text, struct span method, struct egress_head *out,
                                     struct error *err);

/* The first value of that name, in any letter case; NULL when there is none. */
const struct span *egress_head_find(const struct egress_head *h, const char *name);
size_t egress_head_count(const struct egress_head *h, const char *name);
bool egress_name_equal(struct span name, const char *other);

/* True for hop-by-hop headers and those that a newly serialized message sets itself. */
bool egress_header_stays_behind(struct span name);

#endif
