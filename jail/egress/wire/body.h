/* body.h - where the body of an HTTP/1 message ends, found out piece by piece; no input, no output.
 *
 * A request's chunks have no extensions and no trailers, as they are not judged; a response's are
 * dropped, up to EGRESS_CHUNK_LINES_MAX bytes of them. A body that is not whole is an error of the
 * caller's to see: is_done says. One thread at a time. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_BODY_H
#define FILTERD_JAIL_EGRESS_WIRE_BODY_H

#include "jail/egress/wire/head.h"

enum { EGRESS_CHUNK_LINES_MAX = 8192, EGRESS_CHUNK_DIGITS = 8 };

enum egress_chunk_state {
    EGRESS_CHUNK_SIZE,
    EGRESS_CHUNK_EXTENSION,
    EGRESS_CHUNK_SIZE_END,
    EGRESS_CHUNK_DATA,
    EGRESS_CHUNK_DATA_CR,
    EGRESS_CHUNK_DATA_LF,
    EGRESS_CHUNK_TRAILER, /* the beginning of a line behind the last chunk */
    EGRESS_CHUNK_TRAILER_LINE,
    EGRESS_CHUNK_TRAILER_LF,
    EGRESS_CHUNK_LAST_LF,
};

struct egress_body {
    enum egress_framing framing;
    bool is_done;
    bool is_lenient; /* a response's */
    int64_t left;    /* of the body or of the chunk */
    enum egress_chunk_state state;
    size_t digits, lines;
};

void egress_body_init(struct egress_body *b, const struct egress_head *head, bool is_response);

/* Takes from the beginning of `in`: *used bytes, of which *data is body. Call again with the rest until is_done or
 * nothing is left. MALFORMED or LIMIT. */
MUST_CHECK bool egress_body_take(struct egress_body *b, struct span in, size_t *used, struct span *data,
                                 struct error *err);

#endif
