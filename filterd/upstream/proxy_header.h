/* proxy_header.h - which headers pass the proxy, in each direction, and how its target is written.
 *
 * Up go all end-to-end headers but the client's cookies, what is meant for filterd, and what would
 * change how the answer is read. Down come only those of a short list: what can be nothing but a small number, a duration
 * or a date passes, an id is judged first. Pure. */
#ifndef FILTERD_UPSTREAM_PROXY_HEADER_H
#define FILTERD_UPSTREAM_PROXY_HEADER_H

#include "base/buf.h"

/* Whether a request's header is forwarded. `connection` is the value of its Connection header;
 * has_credential: the upstream gets a key of ours in place of the client's. */
bool header_goes_up(struct span name, struct span value, struct span connection,
                    bool has_credential);
/* What becomes of an answer's header. */
enum header_use {
    HEADER_KEPT,   /* it stays here */
    HEADER_JUDGED, /* it comes down when nothing is found in its value */
    HEADER_PASSES,
};
enum header_use header_comes_down(struct span name, struct span value);

/* The request target, written anew from what was decoded, so that the upstream reads the very path
 * that was looked up. INVALID for one that two readers could read differently: empty, "." and ".."
 * segments, control characters, backslashes. */
MUST_CHECK bool target_add_path(struct buf *out, struct span path, struct error *err);
MUST_CHECK bool target_add_parameter(struct buf *out, bool is_first, struct span name,
                                     struct span value, bool has_value, struct error *err);

#endif
