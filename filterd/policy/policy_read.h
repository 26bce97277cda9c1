/* policy_read.h - one policy from YAML; filterd-policy(5) says what may be there. */
#ifndef FILTERD_POLICY_POLICY_READ_H
#define FILTERD_POLICY_POLICY_READ_H

#include "base/yaml.h"
#include "policy/policy.h"

struct condition_reader {
    struct arena *arena;
    const struct rule_set *rules;
};

/* One key of a condition; *is_known is false when the key is no part of one. */
MUST_CHECK bool policy_read_condition_key(const struct condition_reader *r, const struct yaml_node *node,
                                          struct policy_condition *when, bool *is_known, struct error *err);

/* `yaml` is the whole file, for the digest. On failure `out` may hold exceptions whose expressions
 * the caller frees all the same. */
MUST_CHECK bool policy_read(struct arena *a, const struct rule_set *rules, const struct yaml_node *node,
                            struct span yaml, struct policy *out, struct error *err);

#endif
