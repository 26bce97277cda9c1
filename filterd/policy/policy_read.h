/* policy_read.h - one policy from YAML; filterd-policy(5) says what may stand there. */
#ifndef FILTERD_POLICY_POLICY_READ_H
#define FILTERD_POLICY_POLICY_READ_H

#include "base/yaml.h"
#include "policy/policy.h"

/* `yaml` is the whole file, for the digest. On failure `out` may hold exceptions whose expressions
 * the caller frees all the same. */
MUST_CHECK bool policy_read(struct arena *a, const struct rule_set *rules, const struct yaml_node *node,
                            struct span yaml, struct policy *out, struct error *err);

#endif
