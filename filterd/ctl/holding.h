/* holding.h - what a rule costs in a stream: bytes that are held back because it could still match.
 */
#ifndef FILTERD_CTL_HOLDING_H
#define FILTERD_CTL_HOLDING_H

#include "ctl/session.h"
#include "policy/supervisor.h"

/* Appends for each pattern how long a match can be and which letters it begins with, and whether the
 * policy lets the rule hold anything at all. */
MUST_CHECK bool holding_describe(const struct session *s, const struct rule *rule, struct buf *out,
                                 struct error *err);

/* Appends what rules of classifiers hold of every stream under a policy, found or not. */
MUST_CHECK bool holding_describe_unit(enum hold_unit hold, struct buf *out, struct error *err);

/* Appends what a policy's supervisor costs in a stream: bytes held, and time. `bytes` is how long the text at hand is. */
MUST_CHECK bool holding_describe_supervisor(const struct policy_supervisor *s, size_t bytes, struct buf *out,
                                            struct error *err);

/* Streams the strings of each line of an NDJSON file (of a line that is no JSON: the line) in tokens
 * of 1 to 8 bytes under the session's rules and policy, and appends what was held after each. */
MUST_CHECK bool holding_measure(const struct session *s, const struct rule *rule, const char *path,
                                struct buf *out, struct error *err);

#endif
