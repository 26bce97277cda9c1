/* decode.h - what a Content-Encoding holds: gzip and deflate undone by zlib, within a ceiling.
 *
 * A body with bytes after the end of the compressed stream is refused: the filter would not see them, the receiver might. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_DECODE_H
#define FILTERD_JAIL_EGRESS_WIRE_DECODE_H

#include "base/buf.h"

/* Appends the decoded bytes. `coding` as in the header; empty or "identity": a copy. INVALID for other codings and
 * for several, MALFORMED for bytes that are none, LIMIT past out's ceiling. */
MUST_CHECK bool egress_decode(struct span coding, struct span bytes, struct buf *out, struct error *err);

#endif
