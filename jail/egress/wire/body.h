/* body.h - finds the end of an HTTP/1 message's body piece by piece; does no input or output.
 *
 * Chunk extensions and trailers are errors in a request, as they are not judged; those of a response are
 * dropped, up to EGRESS_CHUNK_LINES_MAX bytes. The caller must treat a body without is_done as truncated.
 * One thread at a time. */
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
    EGRESS_CHUNK_TRAILER, /* the beginning of a line after the last chunk */
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

/* Consumes *used bytes at the beginning of `in`, of which *data is body. Call it again with the rest until is_done or
 * nothing is left. MALFORMED or LIMIT. */
MUST_CHECK bool egress_body_take(struct egress_body *b, struct span in, size_t *used, struct span *data,
                                 struct error *err);

#endif
