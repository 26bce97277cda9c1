/* network.h - the part of a jail's policy that says how it reaches the network. For policy_read.c and policy_print.c. */
#ifndef FILTERD_JAIL_POLICY_NETWORK_H
#define FILTERD_JAIL_POLICY_NETWORK_H

#include "base/yaml.h"
#include "jail/policy/policy.h"

/* The mapping `network`; relative host paths start from `folder`. */
MUST_CHECK bool jail_network_read(const struct yaml_node *node, const char *folder, struct jail_policy *p,
                                  struct error *err);
/* Appends "network: none" or the mapping. */
MUST_CHECK bool jail_network_print(const struct jail_policy *p, struct buf *out, struct error *err);

#endif
