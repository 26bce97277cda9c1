/* strip.h - a judged answer without what was found in it, for a jail that is to read the rest.
 *
 * What the policy would redact is taken out where it stands; what it would block goes with the line around it, as words
 * that tell an agent what to do seldom stand alone. A label with the rule's id takes its place. */
#ifndef FILTERD_JAIL_EGRESS_STRIP_H
#define FILTERD_JAIL_EGRESS_STRIP_H

#include "base/arena.h"
#include "base/buf.h"
#include "judge/exchange.h"
#include "pipeline/document.h"

/* `body` holds the last channels of the judged exchange; without `json` it is one channel, the text itself. Appends the
 * body that is left. False when something was found elsewhere, in a member's name, or does not fit. */
MUST_CHECK bool egress_strip(struct arena *a, const struct exchange *x, struct document *body, bool is_json,
                             struct buf *out, struct error *err);

#endif
