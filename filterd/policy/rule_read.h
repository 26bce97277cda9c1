/* rule_read.h - rules from YAML; docs/rules.md and filterd-rules(5) say what may stand there. */
#ifndef FILTERD_POLICY_RULE_READ_H
#define FILTERD_POLICY_RULE_READ_H

#include "base/yaml.h"
#include "policy/rule.h"

enum { RULES_MAX = 1 << 15, RULE_PATTERNS_MAX = 64, RULE_TEXT_MAX = 16 * 1024 };

/* Reads one element of `rules:`. Everything lives in the arena; `pack` is borrowed. */
MUST_CHECK bool rule_read(struct arena *a, const struct yaml_node *node, struct span pack, struct rule *out,
                          struct error *err);

#endif
