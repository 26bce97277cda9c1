/* policy_check.h - what belongs together in a jail's policy, once every part has been read. For policy_read.c. */
#ifndef FILTERD_JAIL_POLICY_POLICY_CHECK_H
#define FILTERD_JAIL_POLICY_POLICY_CHECK_H

#include "base/yaml.h"
#include "jail/policy/policy.h"

/* `inner` is `outer` or is below it; both absolute and simple. */
bool jail_path_is_within(const char *inner, const char *outer);
/* `root` is the file's mapping, for places of errors. */
MUST_CHECK bool jail_policy_check(const struct yaml_node *root, const struct jail_policy *p, struct error *err);

#endif
