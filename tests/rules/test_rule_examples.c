/* Every shipped rule against its own examples, alone and as a string of a JSON document: one test a rule, under the rule's
 * name. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "pipeline/load.h"
#include "support/shipped.h"

enum { MESSAGE_MAX = 200, RULES_AT_LEAST = 120 };

static struct snapshot *snapshot;
static char (*messages)[MESSAGE_MAX]; /* per rule; empty when all its examples are right */

static bool remember(void *context, const struct rule *rule, bool is_match, size_t index)
{
    (void)context;
    (void)snprintf(messages[rule_set_index(snapshot->rules, rule)], MESSAGE_MAX, SPAN_FMT ":%u: %s example %zu is %s",
                   SPAN_ARG(rule->source.file), rule->source.line, is_match ? "match" : "no_match", index + 1,
                   is_match ? "not found" : "found");
    return true;
}

static void examples_are_right(void **state)
{
    const char *message = *state;

    if (message[0] != '\0') {
        fail_msg("%s", message);
    }
}

int main(void)
{
    const struct rule_set_options options = shipped_options();
    struct error err;
    size_t n = 0;

    snapshot = snapshot_open(NULL, NULL, &options, &err);
    if (snapshot == NULL) {
        print_error("%s\n", err.text);
        return 1;
    }
    uint32_t rules = snapshot->rules->n_rules;
    struct CMUnitTest *tests = calloc((size_t)rules + 1, sizeof(*tests));
    messages = calloc((size_t)rules + 1, sizeof(*messages));
    if (rules < RULES_AT_LEAST || tests == NULL || messages == NULL ||
        !snapshot_test_examples(snapshot, span_str("content"), remember, NULL, &n, &err) ||
        !snapshot_test_examples(snapshot, span_of(NULL, 0), remember, NULL, &n, &err)) {
        print_error("rules: %u, at least %d expected\n", rules, RULES_AT_LEAST);
        return 1;
    }
    for (uint32_t i = 0; i < rules; i++) {
        const struct rule *rule = &snapshot->rules->rules[i];
        if (!rule_has_examples(rule)) { /* what a rule of somebody's own may lack, a shipped one may not */
            (void)snprintf(messages[i], MESSAGE_MAX, SPAN_FMT ":%u: %d examples each in match and no_match expected",
                           SPAN_ARG(rule->source.file), rule->source.line, RULE_EXAMPLES_MIN);
        }
        /* Ids are spans; cmocka wants a string. */
        char *name = strndup(snapshot->rules->rules[i].id.ptr, snapshot->rules->rules[i].id.len);
        tests[i] = (struct CMUnitTest){.name = name, .test_func = examples_are_right, .initial_state = messages[i]};
    }
    int failed = _cmocka_run_group_tests("rule examples", tests, rules, NULL, NULL);
    for (uint32_t i = 0; i < rules; i++) {
        free((void *)(uintptr_t)tests[i].name);
    }
    free(tests);
    free(messages);
    snapshot_unref(snapshot);
    return failed;
}
