/* violation_hooks.h - how agents outside a jail are ended: `hooks` in the violations of a policy file. For violations.c. */
#ifndef FILTERD_POLICY_VIOLATION_HOOKS_H
#define FILTERD_POLICY_VIOLATION_HOOKS_H

#include "policy/violations.h"

/* The list lives in the arena. */
MUST_CHECK bool violation_hooks_read(struct arena *a, const struct yaml_node *node, struct violations *out,
                                     struct error *err);

#endif
