/* rule_read.h - reads rules from YAML; docs/rules.md and filterd-rules(5) describe the format. */
#ifndef FILTERD_POLICY_RULE_READ_H
#define FILTERD_POLICY_RULE_READ_H

#include "base/yaml.h"
#include "policy/fragments.h"
#include "policy/rule.h"

enum { RULES_MAX = 1 << 15, RULE_PATTERNS_MAX = 64, RULE_TEXT_MAX = PATTERN_TEXT_MAX };

/* State shared by the rules of one file. */
struct rule_file_scope {
    struct span pack;
    struct fragments fragments;      /* of the file, and shared */
    const struct rule_check *checks; /* of every rule: those of the file, otherwise of the folder */
    size_t n_checks;
};

/* Reads `fragments:` and `checks:` at the head of a file; NULL: none. Set the parts shared by its folder before. */
MUST_CHECK bool rule_read_scope(struct arena *a, const struct yaml_node *fragments, const struct yaml_node *checks,
                                struct rule_file_scope *out, struct error *err);

/* Reads one element of `rules:`. Everything lives in the arena; the scope is borrowed for as long as the rule. */
MUST_CHECK bool rule_read(struct arena *a, const struct yaml_node *node, struct rule_file_scope *scope, struct rule *out,
                          struct error *err);

/* Reports the place and the error of the first pattern that PCRE2 refuses; err is unchanged when there is none. Call it
 * only after a failure: a start has no time to compile everything twice. */
MUST_CHECK bool rule_check_patterns(const struct rule *rule, struct error *err);
/* Prepends the place of the rule's pattern `i` to its error, or replaces it by a better one. Returns false. */
bool rule_pattern_error(const struct rule *rule, size_t i, struct error *err);

#endif
