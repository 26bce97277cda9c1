/* strip.h - removes findings from a response, so that the jail can read the rest.
 *
 * A label with the rule's id replaces a finding that the policy would redact, and the whole line of one that it would
 * block, since instructions to an agent rarely come alone. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_STRIP_H
#define FILTERD_JAIL_EGRESS_WIRE_STRIP_H

#include "base/arena.h"
#include "base/buf.h"
#include "judge/exchange.h"
#include "pipeline/document.h"

/* `body` has the last channels of the judged exchange; without `is_json` it is one channel, the text itself. Appends the
 * stripped body. False when a finding is elsewhere or in a member's name, or when the body does not fit. */
MUST_CHECK bool egress_strip(struct arena *a, const struct exchange *x, struct document *body, bool is_json,
                             struct buf *out, struct error *err);

#endif
