#include "testing.h"

#include "policy/names.h"
#include "support/judge.h"

static const char two[] = "names:\n"
                          "  - {rule: b-two, github: one_token, aws: [FIRST, SECOND]}\n"
                          "  - {rule: a-one, google: DOCUMENT_TYPE/X, azure: AUThing, presidio: X_1}\n";

static struct span_list of(const struct names *n, const char *rule, enum naming naming)
{
    return names_of(n, span_str(rule), naming);
}

static void names_are_found_by_rule_and_system(void **state)
{
    struct error err;
    struct names *n = names_load("n.yaml", span_str(two), &err);

    (void)state;
    assert_non_null(n);
    assert_int_equal(names_count(n), 2);
    assert_int_equal(of(n, "b-two", NAMING_AWS).n, 2);
    assert_true(span_is(of(n, "b-two", NAMING_AWS).items[0], "FIRST"));
    assert_true(span_is(of(n, "b-two", NAMING_GITHUB).items[0], "one_token"));
    assert_true(span_is(of(n, "a-one", NAMING_GOOGLE).items[0], "DOCUMENT_TYPE/X"));
    assert_true(names_has(n, span_str("b-two"), NAMING_AWS, span_str("SECOND")));
    assert_false(names_has(n, span_str("b-two"), NAMING_AWS, span_str("THIRD")));
    names_free(n);
}

static void what_has_no_name_has_none(void **state)
{
    struct error err;
    struct names *n = names_load("n.yaml", span_str(two), &err);

    (void)state;
    assert_non_null(n);
    assert_int_equal(of(n, "b-two", NAMING_AZURE).n, 0);
    assert_int_equal(of(n, "b-tw", NAMING_AWS).n, 0);
    assert_int_equal(of(n, "b-two-more", NAMING_AWS).n, 0);
    assert_int_equal(of(n, "", NAMING_AWS).n, 0);
    names_free(n);
    names_free(NULL);
}

static void systems_are_known_by_name(void **state)
{
    enum naming naming;

    (void)state;
    for (int i = 0; i < NAMING_COUNT; i++) {
        assert_true(naming_find(naming_name((enum naming)i), &naming));
        assert_int_equal(naming, i);
    }
    assert_false(naming_find("oracle", &naming));
}

static void faults_are_named_with_their_place(void **state)
{
    static const struct {
        const char *yaml, *expected;
    } cases[] = {
        {"", "n.yaml:1:1: 'names' expected"},
        {"rules: []", "n.yaml:1:1"},
        {"names: x", "n.yaml:1:8: names: a list expected"},
        {"names:\n  - {rule: a-b}", "n.yaml:2:5: a name beside the rule expected"},
        {"names:\n  - {google: X, aws: Y}", "n.yaml:2:5: 'rule' expected"},
        {"names:\n  - {rule: a-b, oracle: X}", "n.yaml:2"},
        {"names:\n  - {rule: a-b, google: x}", "a name as google has them expected"},
        {"names:\n  - {rule: a-b, google: _}", "a name as google has them expected"},
        {"names:\n  - {rule: a-b, azure: A_B}", "a name as azure has them expected"},
        {"names:\n  - {rule: a-b, github: Abc}", "a name as github has them expected"},
        {"names:\n  - {rule: a-b, presidio: A/B}", "a name as presidio has them expected"},
        {"names:\n  - {rule: a-b, aws: [X, X]}", "n.yaml:2:22: aws: each name once expected"},
        {"names:\n  - {rule: a-b, aws: []}", "at least one name expected"},
        {"names:\n  - {rule: a-b, aws: X}\n  - {rule: a-b, google: Y}", "n.yaml:3:5: each rule once expected, not 'a-b'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = {0};
        assert_null(names_load("n.yaml", span_str(cases[i].yaml), &err));
        if (strstr(err.text, cases[i].expected) == NULL) {
            fail_msg("'%s' has not '%s'", err.text, cases[i].expected);
        }
    }
}

static void an_id_without_a_rule_is_named(void **state)
{
    struct judge j;
    struct error err;
    struct names *n = names_load("n.yaml", span_str(two), &err);

    (void)state;
    assert_true(judge_init(&j, "rules:\n" TEST_RULE("a-one", "pii", "low", "0.5", "pattern: 'abc'"), NULL, false));
    assert_non_null(n);
    assert_false(names_check(n, j.rules, &err));
    assert_string_equal(err.text, "n.yaml:2:5: the id of a rule expected, not 'b-two'");
    names_free(n);
    judge_deinit(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_by_rule_and_system),
        cmocka_unit_test(what_has_no_name_has_none),
        cmocka_unit_test(systems_are_known_by_name),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(an_id_without_a_rule_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
