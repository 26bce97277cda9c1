/* rule_read_parts.h - readers of parts of a rule, and the tables of keys; for rule_read.c and tests. */
#ifndef FILTERD_POLICY_RULE_READ_PARTS_H
#define FILTERD_POLICY_RULE_READ_PARTS_H

#include "base/fields.h"
#include "policy/rule.h"

enum { RULE_CONTEXTS_MAX = 32, RULE_CHECKS_MAX = 32 }; /* a finding has one bit for each */

/* `context` of a reader of rules. */
struct rule_reader {
    struct fragments *fragments;
};

/* Readers that set several members of struct rule: `context:` and `requires:`, which both add to the rule's contexts;
 * `checks:`; `pattern:` and `patterns:`. */
field_read_fn rule_read_contexts, rule_read_requires, rule_read_checks, rule_read_patterns;

/* The keys of struct rule; of struct rule_context, twice; of struct rule_check, those common to all checks; of struct
 * rule_exact and struct rule_documents. */
extern const struct field rule_fields[], rule_context_fields[], rule_requires_fields[], rule_check_fields[], rule_exact_fields[],
    rule_documents_fields[];

/* Appends the checks of every rule of its file, except those that the rule names itself or switches off. */
MUST_CHECK bool rule_add_checks(struct arena *a, const struct yaml_node *node, const struct rule_check *shared, size_t n,
                                struct rule *rule, struct error *err);

#endif
