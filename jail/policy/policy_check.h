/* policy_check.h - checks of a jail's policy across its keys, once every key has been read. For policy_read.c. */
#ifndef FILTERD_JAIL_POLICY_POLICY_CHECK_H
#define FILTERD_JAIL_POLICY_POLICY_CHECK_H

#include "base/yaml.h"
#include "jail/policy/policy.h"

/* True when `inner` is `outer` or below it; both are absolute and simple. */
bool jail_path_is_within(const char *inner, const char *outer);
/* `root` is the file's mapping, for places of errors. */
MUST_CHECK bool jail_policy_check(const struct yaml_node *root, const struct jail_policy *p, struct error *err);

#endif
