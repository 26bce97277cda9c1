/* lint_triggers.h - what Hyperscan is given for a rule; for lint.c alone. */
#ifndef FILTERD_CTL_LAB_LINT_TRIGGERS_H
#define FILTERD_CTL_LAB_LINT_TRIGGERS_H

#include "base/buf.h"
#include "policy/rule_read.h"

enum { LINT_EXPRESSION_MAX = 64 * 1024 };

/* The triggers of a rule: its own, or one for each pattern. */
struct triggers {
    char *texts[RULE_PATTERNS_MAX];
    uint32_t n;
    bool is_derived;
};

MUST_CHECK bool triggers_make(struct triggers *t, const struct rule *rule, struct error *err);
void triggers_deinit(struct triggers *t);

/* The expression that Hyperscan would be given for a pattern, or its beginning; ends with a NUL. */
MUST_CHECK bool triggers_expression(struct span pattern, bool is_prefix, struct buf *out,
                                    struct error *err);

#endif
