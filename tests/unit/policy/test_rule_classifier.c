#include "testing.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "policy/policy.h"

static unsigned head(const void *self, struct span name)
{
    (void)self;
    return span_is(name, "shouting") ? 3 : CLASSIFIER_HEADS_MAX;
}

static struct span digest(const void *self)
{
    return span_str(self);
}

static const struct classifier one = {.self = "0123", .head = head, .digest = digest};
static const struct classifier other = {.self = "4567", .head = head, .digest = digest};

#define RULE(body)                                                                                                     \
    "rules:\n"                                                                                                         \
    "  - id: loud\n    title: Loud\n    category: content\n    severity: low\n" body                                  \
    "    match: [a, b, c]\n    no_match: [d, e, f]\n"

static const struct classifier *const *offered;

static const struct classifier *const *offer(struct error *err)
{
    return offered != NULL ? offered : (error_set(err, ERROR_MALFORMED, "a model is damaged"), NULL);
}

static struct rule_set *load(const char *yaml, const struct classifier *const *classifiers, struct error *err)
{
    const struct rule_file file = {.path = "rules/test/test.yaml", .content = span_str(yaml)};
    const struct rule_set_options options = {.classifiers = offer};

    offered = classifiers;

    return rule_set_load(&file, 1, &options, err);
}

static void a_rule_names_a_head(void **state)
{
    static const struct classifier *const all[] = {&one, NULL};
    struct error err;
    (void)state;
    struct rule_set *set = load(RULE("    classifier: shouting\n    threshold: 0.75\n"), all, &err);
    assert_non_null(set);
    assert_int_equal(set->n_uses, 1);
    assert_ptr_equal(set->uses[0].classifier, &one);
    assert_int_equal(set->uses[0].head, 3);
    assert_true(set->rules[0].threshold > 0.74 && set->rules[0].threshold < 0.76);
    assert_int_equal(set->n_patterns, 0);
    assert_true(rule_set_has_use(set, NULL));
    rule_set_unref(set);
}

static void what_is_not_there_is_an_error_with_its_place(void **state)
{
    static const struct classifier *const all[] = {&one, NULL}, *const twice[] = {&one, &other, NULL};
    struct error err;
    (void)state;
    assert_null(load(RULE("    classifier: whispering\n    threshold: 0.5\n"), all, &err));
    assert_non_null(strstr(err.text, "rules/test/test.yaml:2"));
    assert_non_null(strstr(err.text, "whispering"));
    assert_null(load(RULE("    classifier: shouting\n    threshold: 0.5\n"), NULL, &err));
    assert_string_equal(err.text, "a model is damaged");
    assert_null(load(RULE("    classifier: shouting\n    threshold: 0.5\n"), twice, &err));
}

static void nothing_of_a_match_stands_beside_a_classifier(void **state)
{
    static const struct classifier *const all[] = {&one, NULL};
    static const char *const wrong[] = {
        RULE("    classifier: shouting\n"),
        RULE("    classifier: ''\n    threshold: 0.5\n"),
        RULE("    classifier: shouting\n    threshold: 0\n"),
        RULE("    classifier: shouting\n    threshold: 1.5\n"),
        RULE("    classifier: shouting\n    threshold: 0.5\n    confidence: 0.5\n"),
        RULE("    classifier: shouting\n    threshold: 0.5\n    boundary: word\n"),
        RULE("    classifier: shouting\n    threshold: 0.5\n    pattern: abc\n"),
        RULE("    classifier: shouting\n    threshold: 0.5\n    words: [abc]\n"),
        RULE("    classifier: shouting\n    threshold: 0.5\n    context: {words: [abc]}\n"),
        RULE("    pattern: abc\n    confidence: 0.5\n    threshold: 0.5\n"),
        RULE("    pattern: abc\n"),
    };
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_null(load(wrong[i], all, &err));
        assert_non_null(strstr(err.text, "rules/test/test.yaml:"));
    }
}

static void another_model_is_another_digest(void **state)
{
    static const struct classifier *const first[] = {&one, NULL}, *const second[] = {&other, NULL};
    struct error err;
    (void)state;
    struct rule_set *a = load(RULE("    classifier: shouting\n    threshold: 0.5\n"), first, &err);
    struct rule_set *b = load(RULE("    classifier: shouting\n    threshold: 0.5\n"), second, &err);
    assert_false(span_equal(a->digest, b->digest));
    rule_set_unref(a);
    rule_set_unref(b);
}

static struct snapshot *with_policy(struct rule_set *set, const char *keys, struct error *err)
{
    char yaml[400];

    (void)snprintf(yaml, sizeof(yaml), "policies:\n  default:\n    rules: [test]\n    actions: []\n%s", keys);
    return snapshot_load(set, "policy.yaml", span_str(yaml), err);
}

static void a_policy_says_what_is_held(void **state)
{
    static const struct classifier *const all[] = {&one, NULL};
    static const struct {
        const char *keys;
        enum hold_unit hold;
    } cases[] = {{"", HOLD_PARAGRAPH},
                 {"    hold: all\n", HOLD_ALL},
                 {"    hold: paragraph\n", HOLD_PARAGRAPH},
                 {"    hold: sentence\n", HOLD_SENTENCE},
                 {"    hold: none\n", HOLD_NONE}};
    struct error err;
    (void)state;
    struct rule_set *set = load(RULE("    classifier: shouting\n    threshold: 0.5\n"), all, &err);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct snapshot *s = with_policy(set, cases[i].keys, &err);
        assert_non_null(s);
        assert_int_equal(s->policies[0].hold, cases[i].hold);
        assert_true(s->policies[0].has_classifiers);
        snapshot_unref(s);
    }
    assert_null(with_policy(set, "    hold: word\n", &err));
    assert_non_null(strstr(err.text, "policy.yaml:5"));
    rule_set_unref(set);
}

static bool never_acts(const void *self, unsigned which)
{
    (void)self;
    return which == 3;
}

static struct snapshot *with_actions(struct rule_set *set, const char *actions, struct error *err)
{
    char yaml[400];

    (void)snprintf(yaml, sizeof(yaml), "policies:\n  default:\n    rules: [test]\n%s", actions);
    return snapshot_load(set, "policy.yaml", span_str(yaml), err);
}

/* By its name: by category it is met, and reported (judge/test_decide.c). */
static void no_policy_acts_by_a_head_that_only_reports(void **state)
{
    static const struct classifier reporting = {.self = "0123", .head = head, .digest = digest, .only_reports = never_acts};
    static const struct classifier *const unreliable[] = {&reporting, NULL}, *const reliable[] = {&one, NULL};
    static const char *const wrong[] = {
        "    actions:\n      - {rule: loud, action: block}\n",
        "    actions:\n      - {rules: [loud], action: redact}\n",
        "    actions: []\n    request:\n      actions:\n        - {rule: loud, action: block}\n",
        "    actions: []\n    request:\n      tool_results:\n        - {rule: loud, action: withhold}\n",
    };
    static const char *const right[] = {
        "    actions:\n      - {rule: loud, action: allow}\n",
        "    actions:\n      - {rule: loud, action: block, shadow: true}\n",
        "    actions:\n      - {category: content, action: block}\n",
        "    actions: []\n    request:\n      tool_results:\n        - {rule: loud, action: label}\n",
    };
    const char *rules = RULE("    classifier: shouting\n    threshold: 0.5\n");
    struct error err;
    (void)state;
    struct rule_set *set = load(rules, unreliable, &err);
    assert_true(set->rules[0].only_reports);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_null(with_actions(set, wrong[i], &err));
        assert_non_null(strstr(err.text, "policy.yaml:"));
        assert_non_null(strstr(err.text, "'loud' only reports"));
        assert_non_null(strstr(err.text, "'shouting'"));
    }
    for (size_t i = 0; i < COUNT(right); i++) {
        struct snapshot *s = with_actions(set, right[i], &err);
        assert_non_null(s);
        snapshot_unref(s);
    }
    rule_set_unref(set);
    set = load(rules, reliable, &err);
    assert_false(set->rules[0].only_reports);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct snapshot *s = with_actions(set, wrong[i], &err);
        assert_non_null(s);
        snapshot_unref(s);
    }
    rule_set_unref(set);
}

static bool judges_all(const void *self, unsigned of)
{
    (void)self;
    return of == 3;
}

/* A policy that judges parts of a text does not act by what was measured on whole ones. */
static void a_head_that_judges_whole_texts_acts_where_they_are_held(void **state)
{
    static const struct classifier whole = {.self = "0123", .head = head, .digest = digest, .needs_all = judges_all};
    static const struct classifier *const all[] = {&whole, NULL};
    static const char *const wrong[] = {
        "    actions:\n      - {rule: loud, action: block}\n",
        "    hold: sentence\n    actions:\n      - {rules: [loud], action: redact}\n",
        "    actions:\n      - {rule: loud, action: block}\n    hold: none\n",
        "    actions: []\n    request:\n      actions:\n        - {rule: loud, action: block}\n",
        "    actions: []\n    request:\n      tool_results:\n        - {rule: loud, action: withhold}\n",
    };
    static const char *const right[] = {
        "    actions:\n      - {rule: loud, action: block}\n    hold: all\n",
        "    hold: all\n    actions: []\n    request:\n      actions:\n        - {rule: loud, action: block}\n",
        "    actions:\n      - {rule: loud, action: block, shadow: true}\n",
        "    actions:\n      - {category: content, action: block}\n",
    };
    struct error err;
    (void)state;
    struct rule_set *set = load(RULE("    classifier: shouting\n    threshold: 0.5\n"), all, &err);
    assert_non_null(set);
    assert_true(set->rules[0].needs_all);
    assert_false(set->rules[0].only_reports);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_null(with_actions(set, wrong[i], &err));
        assert_non_null(strstr(err.text, "policy.yaml:"));
        assert_non_null(strstr(err.text, "'loud' acts on whole texts alone"));
        assert_non_null(strstr(err.text, "'hold: all'"));
    }
    for (size_t i = 0; i < COUNT(right); i++) {
        struct snapshot *s = with_actions(set, right[i], &err);
        assert_non_null(s);
        const struct policy *policy = snapshot_policy(s, (struct span){0}, (struct span){0});
        assert_int_equal(policy->n_actions == 0 || policy_action_is_for(policy, &policy->actions[0], &set->rules[0]), i < 3);
        snapshot_unref(s);
    }
    rule_set_unref(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_names_a_head),
        cmocka_unit_test(what_is_not_there_is_an_error_with_its_place),
        cmocka_unit_test(nothing_of_a_match_stands_beside_a_classifier),
        cmocka_unit_test(another_model_is_another_digest),
        cmocka_unit_test(a_policy_says_what_is_held),
        cmocka_unit_test(no_policy_acts_by_a_head_that_only_reports),
        cmocka_unit_test(a_head_that_judges_whole_texts_acts_where_they_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
