/* proxy_header.h - selects the headers that pass the proxy in each direction, and writes the request target.
 *
 * Requests are forwarded with all end-to-end headers except the client's cookies, those for filterd, and those that would
 * change how the answer is parsed. Answers are returned only with headers of a short list: those whose value is a small
 * number, a duration or a date, and ids after judging. Pure. */
#ifndef FILTERD_UPSTREAM_PROXY_HEADER_H
#define FILTERD_UPSTREAM_PROXY_HEADER_H

#include "base/buf.h"

/* Whether a request's header is forwarded. `connection` is the value of its Connection header;
 * has_credential: the upstream's configured key replaces the client's. */
bool header_goes_up(struct span name, struct span value, struct span connection,
                    bool has_credential);
/* What happens to an answer's header. */
enum header_use {
    HEADER_KEPT,   /* not forwarded */
    HEADER_JUDGED, /* forwarded if its value has no finding */
    HEADER_PASSES,
};
enum header_use header_comes_down(struct span name, struct span value);

/* Append the request target, encoded anew from the decoded path, so that the upstream gets the path
 * that was looked up. INVALID for an ambiguous path: empty, "." and ".."
 * segments, control characters, backslashes. */
MUST_CHECK bool target_add_path(struct buf *out, struct span path, struct error *err);
MUST_CHECK bool target_add_parameter(struct buf *out, bool is_first, struct span name,
                                     struct span value, bool has_value, struct error *err);

#endif
