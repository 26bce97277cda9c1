/* describe.h - a policy in words: for the system prompt of an agent, and to explain why a host is refused. */
#ifndef FILTERD_JAIL_EGRESS_DESCRIBE_H
#define FILTERD_JAIL_EGRESS_DESCRIBE_H

#include "base/buf.h"
#include "jail/egress/policy.h"

/* Appends a line for each rule and each credential; names no file of the machine. */
MUST_CHECK bool egress_describe(const struct egress_policy *p, struct buf *out, struct error *err);
/* Appends what the policy allows for one host, written as in a URL. */
MUST_CHECK bool egress_explain(const struct egress_policy *p, struct span host, struct buf *out, struct error *err);

#endif
