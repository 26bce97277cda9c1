#include "testing.h"

#include "support/judge.h"

static struct error err;

static struct rule_set *load(const char *yaml)
{
    const struct rule_file file = {.path = "rules/local/f.yaml", .content = span_str(yaml)};
    const struct rule_set_options options = {0};

    err.text[0] = '\0';
    return rule_set_load(&file, 1, &options, &err);
}

#define EXAMPLES ", match: [a, b, c], no_match: [a, b, c]}\n"
#define RULE(more) "rules:\n  - {id: x-y, title: t, category: secret, severity: low, confidence: 0.5, " more EXAMPLES

#define C4 "{words: x}, {words: x}, {words: x}, {words: x}"
#define C8 C4 ", " C4

static void a_rule_is_loaded_with_its_defaults(void **state)
{
    (void)state;
    struct rule_set *set = load(RULE("pattern: 'abc[0-9]{4,9}'"));
    assert_non_null(set);
    const struct rule *rule = rule_set_find(set, span_str("x-y"));
    assert_non_null(rule);
    assert_int_equal(rule->boundary, BOUNDARY_TOKEN);
    assert_int_equal(rule->views, 7);
    assert_true(span_is(rule->pack, "local"));
    assert_int_equal(set->digest.len, 7 + 64);
    rule_set_unref(set);
}

static void faults_are_named_with_their_place(void **state)
{
    static const struct {
        const char *yaml, *expected;
    } cases[] = {
        {RULE("pattern: a, colour: red"), "key 'colour' is not known here: expected id, title, category"},
        {RULE("patterns: []"), "1 to 64 patterns expected"},
        {RULE("pattern: '[a'"), "x-y'"},
        {RULE("pattern: 'a*'"), "must not match the empty text"},
        {RULE("pattern: 'abc.*'"), "upper bound"},
        {RULE("pattern: '\\Aabc'"), "may not be used"},
        {RULE("pattern: abcd, checks: [nonsense]"), "there is no check 'nonsense'"},
        {RULE("pattern: abcd, boundary: sometimes"), "one of token, word, letter, number, part, none expected"},
        {RULE("pattern: abcd, context: {within: 3}"), "'words' expected"},
        {RULE("pattern: abcd, context: [" C8 ", " C8 ", " C8 ", " C8 ", {words: x}]"), "at most 32 contexts expected"},
        {RULE("pattern: abcd, views: [x-ray]"), "one of raw, folded, decoded expected"},
        {RULE("pattern: abcd, requires: {rules: [x-z]}"), "requires: there is no rule 'x-z'"},
        {RULE("pattern: abcd, requires: {within: 9}"), "'rules' expected"},
        {RULE("pattern: abcd, region: true"), "a region is critical"},
        {"rules:\n  - {id: UPPER}\n", "an id of 1 to 64"},
        {"rules:\n  - {id: a}\n", "'title', 'category', 'severity' expected"},
        {"rules: 7\n", "a list expected"},
        {"", "'rules' expected"},
        {"rule: []\n", "key 'rule' is not known here (did you mean rules?)"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(load(cases[i].yaml));
        if (strstr(err.text, cases[i].expected) == NULL || strncmp(err.text, "rules/local/f.yaml:", 19) != 0) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
}

/* Of the rule that somebody writes first: nothing but what it is about. */
#define FIRST(pattern)                                                                                                 \
    "rules:\n  - id: x-y\n    title: T\n    category: secret\n    severity: high\n    confidence: 0.9\n" pattern

static void a_wrong_pattern_is_shown_where_it_goes_wrong(void **state)
{
    static const struct {
        const char *yaml, *place;
    } cases[] = {
        {FIRST("    pattern: ab[c\n"), ":7:18: rule 'x-y': pattern: missing terminating ] for character class, at offset 4, behind 'ab[c'"},
        {FIRST("    pattern: 'ab(c'\n"), ":7:19: rule 'x-y': pattern: missing closing parenthesis, at offset 4, behind 'ab(c'"},
        {FIRST("    pattern: 'é''ab)c'\n"), ":7:20: rule 'x-y': pattern: unmatched closing parenthesis, at offset 5, behind 'é'ab'"},
        {FIRST("    patterns: [good, 'ab)c']\n"), ":7:25: rule 'x-y': pattern: unmatched closing parenthesis, at offset 2"},
        {FIRST("    patterns:\n      - good\n      - (?<1>b)\n"), ":9:12: rule 'x-y': pattern: subpattern name must start"},
        {FIRST("    pattern: \"ab\\x29c\"\n"), ":7:14: rule 'x-y': pattern: unmatched closing parenthesis, at offset 2"},
        {FIRST("    pattern: >-\n      ab)c\n"), ":7:14: rule 'x-y': pattern: unmatched closing parenthesis, at offset 2"},
        {FIRST("    pattern: '*abc'\n"), ":7:15: rule 'x-y': pattern: quantifier does not follow a repeatable item, at offset 0"},
        /* Before anything else that is wrong with the rule. */
        {"rules:\n  - id: x-y\n    pattern: 'ab)c'\n", ":3:17: rule 'x-y': pattern: unmatched closing parenthesis"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(load(cases[i].yaml));
        if (strstr(err.text, cases[i].place) == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
}

static void what_is_to_be_written_for_a_repeat_without_bound_is_said(void **state)
{
    static const struct {
        const char *pattern, *says;
    } cases[] = {
        {"abc[0-9]+", "'+' at offset 8 has no upper bound: write {1,64}"},
        {"a[*+]b\\+c*?d", "'*' at offset 9 has no upper bound: write {0,64}"},
        {"(?<secret>abc)x{3,}", "'{3,}' at offset 15 has no upper bound: write {3,64}"},
        {"ab(?=.*c)[d]{100,}+", "'{100,}' at offset 12 has no upper bound: write {100,200}"},
        {"(?i)tok_(?:ab+|c)", "'+' at offset 13 has no upper bound: write {1,64}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[512];
        (void)snprintf(yaml, sizeof(yaml), FIRST("    pattern: '%s'\n"), cases[i].pattern);
        assert_null(load(yaml));
        if (strstr(err.text, cases[i].says) == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
    assert_null(load(FIRST("    pattern: '(?:a{1,1000}){1,1000}'\n"))); /* bounds, but too far */
    assert_non_null(strstr(err.text, "an upper bound of at most 65536 bytes expected"));
}

static void a_rule_without_examples_loads_and_is_known_to_have_none(void **state)
{
    static const struct {
        const char *yaml;
        bool has_examples;
    } cases[] = {
        {FIRST("    pattern: abcd\n"), false},
        {FIRST("    pattern: abcd\n    match: [abcd, abcd, abcd]\n"), false},
        {FIRST("    pattern: abcd\n    match: [abcd, abcd, abcd]\n    no_match: [x, y]\n"), false},
        {FIRST("    pattern: abcd\n    match: [abcd, abcd, abcd]\n    no_match: [x, y, z]\n"), true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rule_set *set = load(cases[i].yaml);
        assert_non_null(set);
        assert_true(rule_has_examples(&set->rules[0]) == cases[i].has_examples);
        rule_set_unref(set);
    }
}

static void a_nul_in_an_expression_is_refused_where_it_stands(void **state)
{
    static const struct {
        const char *yaml, *place;
    } cases[] = {
        {RULE("pattern: \"ab\\0cd\""), ":2:84: "},
        {RULE("patterns: [abcd, \"ab\\0cd\"]"), ":2:92: "},
        {RULE("pattern: abcd, trigger: \"a\\0\""), ":2:99: "},
        {RULE("pattern: abcd, allow: [abcd, \"\\x00\"]"), ":2:104: "},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(load(cases[i].yaml));
        if (strstr(err.text, cases[i].place) == NULL || strstr(err.text, "without a NUL byte expected") == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
}

static void a_pattern_may_say_nul_as_an_escape(void **state)
{
    (void)state;
    struct rule_set *set = load(RULE("pattern: 'abc\\x00[0-9]{4}'"));
    assert_non_null(set);
    rule_set_unref(set);
}

static void the_same_id_twice_is_refused_with_both_places(void **state)
{
    (void)state;
    assert_null(load("rules:\n" TEST_RULE("a", "secret", "low", "0.5", "pattern: abcd")
                         TEST_RULE("a", "secret", "low", "0.5", "pattern: abce")));
    assert_non_null(strstr(err.text, "occurs twice"));
}

static void a_trigger_far_from_the_start_needs_its_lead(void **state)
{
    (void)state;
    assert_null(load(RULE("pattern: '[a-z]{1,9000}@xyz', trigger: '@xyz'")));
    assert_non_null(strstr(err.text, "lead"));
    struct rule_set *set = load(RULE("pattern: '[a-z]{1,9000}@xyz', trigger: '@xyz', lead: 9004"));
    assert_non_null(set);
    rule_set_unref(set);
}

/* Texts outlive the nodes that they were read with. */
static void patterns_as_written_stay_and_their_nodes_go(void **state)
{
    (void)state;
    struct rule_set *set = load("fragments: {digits: '[0-9]{4,9}'}\n" RULE("patterns: ['abc{digits}', 'x{digits}']"));
    assert_non_null(set);
    const struct rule *rule = rule_set_find(set, span_str("x-y"));
    assert_non_null(rule);
    assert_int_equal(rule->written.n, 2);
    assert_true(span_is(rule->written.items[0], "abc{digits}"));
    assert_true(span_is(rule->written.items[1], "x{digits}"));
    assert_true(span_is(rule->patterns.items[1], "x[0-9]{4,9}"));
    assert_null(rule->pattern_node);
    assert_null(rule->fragments);
    assert_true(span_is(rule->source.file, "rules/local/f.yaml"));
    rule_set_unref(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_is_loaded_with_its_defaults),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(a_wrong_pattern_is_shown_where_it_goes_wrong),
        cmocka_unit_test(what_is_to_be_written_for_a_repeat_without_bound_is_said),
        cmocka_unit_test(a_rule_without_examples_loads_and_is_known_to_have_none),
        cmocka_unit_test(a_nul_in_an_expression_is_refused_where_it_stands),
        cmocka_unit_test(a_pattern_may_say_nul_as_an_escape),
        cmocka_unit_test(the_same_id_twice_is_refused_with_both_places),
        cmocka_unit_test(a_trigger_far_from_the_start_needs_its_lead),
        cmocka_unit_test(patterns_as_written_stay_and_their_nodes_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
