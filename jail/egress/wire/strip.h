/* strip.h - removes findings from a response, so that the jail can read the rest.
 *
 * What the policy would redact is removed in place; what it would block is removed with its whole line, since
 * instructions to an agent rarely come alone. A label with the rule's id takes its place. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_STRIP_H
#define FILTERD_JAIL_EGRESS_WIRE_STRIP_H

#include "base/arena.h"
#include "base/buf.h"
#include "judge/exchange.h"
#include "pipeline/document.h"

/* `body` holds the last channels of the judged exchange; without `json` it is one channel, the text itself. Appends the
 * body that is left. False when something was found elsewhere, in a member's name, or does not fit. */
MUST_CHECK bool egress_strip(struct arena *a, const struct exchange *x, struct document *body, bool is_json,
                             struct buf *out, struct error *err);

#endif
