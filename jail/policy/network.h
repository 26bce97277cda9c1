/* network.h - the part of a jail's policy that says how it reaches the network. For policy_read.c and policy_print.c. */
#ifndef FILTERD_JAIL_POLICY_NETWORK_H
#define FILTERD_JAIL_POLICY_NETWORK_H

#include "jail/policy/options.h"

/* The word none, or a mapping; into struct jail_policy. */
extern const struct field_type jail_network_type;
/* Appends "network: none" or the mapping. */
MUST_CHECK bool jail_network_print(const struct jail_policy *p, struct buf *out, struct error *err);

#endif
