#include "ctl/lab/lint_triggers.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "regex/trigger.h"

void triggers_deinit(struct triggers *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        free(t->texts[i]);
    }
    t->n = 0;
}

static bool triggers_add(struct triggers *t, struct span text, struct error *err)
{
    char *copy = t->n < RULE_PATTERNS_MAX ? strndup(text.ptr, text.len) : NULL;

    if (copy == NULL) {
        return error_set(err, ERROR_LIMIT, "no room for a trigger");
    }
    t->texts[t->n++] = copy;
    return true;
}

bool triggers_expression(struct span pattern, bool is_prefix, struct buf *out, struct error *err)
{
    struct buf core CLEANUP(buf_deinit);

    buf_init(&core, LINT_EXPRESSION_MAX);
    return trigger_core(pattern, &core, err) &&
           (is_prefix ? trigger_prefix(buf_span(&core), out, err)
                      : buf_append(out, buf_span(&core), err)) &&
           buf_append_char(out, '\0', err);
}

bool triggers_make(struct triggers *t, const struct rule *rule, struct error *err)
{
    t->is_derived = rule->triggers.n == 0;
    for (size_t i = 0; i < rule->triggers.n; i++) {
        if (!triggers_add(t, rule->triggers.items[i], err)) {
            return false;
        }
    }
    for (size_t i = 0; t->is_derived && i < rule->patterns.n; i++) {
        struct buf expression CLEANUP(buf_deinit);
        buf_init(&expression, LINT_EXPRESSION_MAX);
        if (!triggers_expression(rule->patterns.items[i], true, &expression, err) ||
            !triggers_add(t, span_str(expression.data), err)) {
            return false;
        }
    }
    return true;
}
