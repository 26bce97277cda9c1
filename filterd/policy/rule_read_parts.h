/* rule_read_parts.h - the parts of a rule that have readers in files of their own; for rule_read.c alone. */
#ifndef FILTERD_POLICY_RULE_READ_PARTS_H
#define FILTERD_POLICY_RULE_READ_PARTS_H

#include "base/yaml.h"
#include "policy/rule.h"

/* `context:` and `requires:`; both add to the rule's contexts. */
MUST_CHECK bool rule_read_contexts(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err);
MUST_CHECK bool rule_read_requires(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err);

/* `checks:`. */
MUST_CHECK bool rule_read_checks(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err);
/* Adds those that every rule of its file has, behind its own, but for those that it names itself or switches off. */
MUST_CHECK bool rule_add_checks(struct arena *a, const struct yaml_node *node, const struct rule_check *shared, size_t n,
                                struct rule *rule, struct error *err);

/* `pattern:` and `patterns:`. */
MUST_CHECK bool rule_read_patterns(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err);

#endif
