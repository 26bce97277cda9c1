/* decode.h - decodes a Content-Encoding: gzip and deflate, by zlib, up to a limit.
 *
 * Refuses a body with bytes after the end of the compressed stream: the filter would not see them, the receiver might. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_DECODE_H
#define FILTERD_JAIL_EGRESS_WIRE_DECODE_H

#include "base/buf.h"

/* Appends the decoded bytes. `coding` as in the header; empty or "identity": a copy. INVALID for other codings and
 * for several, MALFORMED for invalid bytes, LIMIT above out's ceiling. */
MUST_CHECK bool egress_decode(struct span coding, struct span bytes, struct buf *out, struct error *err);

#endif
