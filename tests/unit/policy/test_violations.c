#include "testing.h"

#include "policy/violations.h"

#define WHOLE "weights: {secret: 25, block: 0.5}\nhalf_life: 10m\nactions:\n"

static bool read_text(const char *yaml, struct violations *v, struct error *err)
{
    struct arena a;
    struct yaml_node *root = NULL;

    arena_init(&a, 0, 1 << 20);
    bool is_read = yaml_parse(&a, "p.yaml", span_str(yaml), &root, err) && root != NULL && violations_read(&a, root, v, err);
    arena_deinit(&a);
    return is_read;
}

static void a_section_is_read_whole(void **state)
{
    struct violations v;
    struct error err;

    (void)state;
    assert_true(read_text(WHOLE "  - {at: 50, do: alert}\n  - {at: 100, do: [cut_network, kill]}\n"
                                "throttle: 6/m\nask: {within: 90s, otherwise: resume}\n",
                          &v, &err));
    assert_true(v.is_on);
    assert_true(v.weights[VIOLATION_SECRET] == 25 && v.weights[VIOLATION_BLOCK] == 0.5 && v.weights[VIOLATION_PII] == 0);
    assert_int_equal(v.half_life_ns, INT64_C(600000000000));
    assert_int_equal(v.n_thresholds, 2);
    assert_int_equal(v.thresholds[1].reactions, REACTION_CUT_NETWORK | REACTION_KILL);
    assert_int_equal(v.throttle_ns, INT64_C(10000000000));
    assert_int_equal(v.ask_ns, INT64_C(90000000000));
    assert_true(v.ask_resumes);
}

static void an_unanswered_question_kills_unless_the_policy_says_else(void **state)
{
    struct violations v;
    struct error err;

    (void)state;
    assert_true(read_text(WHOLE "  - {at: 50, do: ask}\n", &v, &err));
    assert_false(v.ask_resumes);
}

static void faults_are_named_with_their_place(void **state)
{
    static const struct {
        const char *yaml, *expected;
    } cases[] = {
        {"half_life: 1m", "p.yaml:1:1: 'weights', 'actions' expected"},
        {"weights: {colour: 1}\nhalf_life: 1m\nactions: [{at: 1, do: kill}]", "p.yaml:1:11: one of secret, pii"},
        {"weights: {}\nhalf_life: 1m\nactions: [{at: 1, do: kill}]", "p.yaml:1:10: weights: a mapping of at least one weight expected"},
        {"weights: {pii: -1}\nhalf_life: 1m\nactions: [{at: 1, do: kill}]", "p.yaml:1:16: pii: a number from 0 to 1e+06 expected"},
        {"weights: {pii: 1}\nhalf_life: 10\nactions: [{at: 1, do: kill}]", "p.yaml:2:12: half_life: a time from 1ms to 400d expected"},
        {"weights: {pii: 1}\nhalf_life: 0s\nactions: [{at: 1, do: kill}]", "p.yaml:2:12: half_life: a time"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: []", "p.yaml:3:10: actions: a list of 1 to 16 entries expected"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{at: 1, do: shout}]", "p.yaml:3:23: do: one of alert, throttle"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{at: 1, do: []}]", "p.yaml:3:23: do: at least one value expected"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{do: kill}]", "'at' expected"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{at: 0, do: kill}]", "p.yaml:3:11: 'at' above 0, and above that of the entry before, expected"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{at: 5, do: alert}, {at: 5, do: kill}]",
         "p.yaml:3:31: 'at' above 0, and above that of the entry before, expected"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{at: 5, do: alert}]\nthrottle: fast", "p.yaml:4:11: throttle: a rate as 5/s, 60/m or 1000/h, of 1 to 1000000, expected"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{at: 5, do: alert}]\nthrottle: 0/m", "throttle: a rate as 5/s"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{at: 5, do: alert}]\nask: {otherwise: maybe}", "p.yaml:4:18: otherwise: one of kill, resume expected"},
        {"weights: {pii: 1}\nhalf_life: 1m\nactions: [{at: 5, do: alert}]\ncolour: red", "p.yaml:4:1: key 'colour' is not known here: expected weights, half_life, actions, throttle, ask, hooks"},
        {WHOLE "  - {at: 5, do: kill}\nhooks: []", "p.yaml:5:8: hooks: 1 to 32 entries expected"},
        {WHOLE "  - {at: 5, do: kill}\nhooks: [{agents: a}]", "p.yaml:5:9: one of 'command' and 'webhook' expected"},
        {WHOLE "  - {at: 5, do: kill}\nhooks: [{agents: a, command: stop}]", "an absolute path as the first word expected"},
        {WHOLE "  - {at: 5, do: kill}\nhooks: [{agents: a, webhook: 'http://a.example/'}]", "an https URL"},
        {WHOLE "  - {at: 5, do: kill}\nhooks: [{agents: a, command: /a, timeout: 6m}]", "timeout: a time from 1ms to 5m expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct violations v;
        struct error err = {0};
        assert_false(read_text(cases[i].yaml, &v, &err));
        if (strstr(err.text, cases[i].expected) == NULL) {
            fail_msg("'%s' has not '%s'", err.text, cases[i].expected);
        }
    }
}

static void hooks_are_for_names_that_match(void **state)
{
    struct violations v, other;
    struct arena a;
    struct yaml_node *root = NULL;
    struct error err;

    (void)state;
    arena_init(&a, 0, 1 << 20);
    assert_true(yaml_parse(&a, "p", span_str(WHOLE "  - {at: 5, do: kill}\nhooks:\n"
                                                   "  - {agents: [ci-*, one], command: [/bin/stop, -f], verify: /bin/gone}\n"
                                                   "  - {agents: '*', webhook: 'https://a.example/kill', timeout: 2s}\n"),
                           &root, &err));
    assert_true(violations_read(&a, root, &v, &err) && violations_read(&a, root, &other, &err));
    assert_int_equal(v.n_hooks, 2);
    assert_true(violation_hook_matches(&v.hooks[0], "ci-7") && violation_hook_matches(&v.hooks[0], "one"));
    assert_false(violation_hook_matches(&v.hooks[0], "two"));
    assert_string_equal(v.hooks[0].command[1], "-f");
    assert_null(v.hooks[0].command[2]);
    assert_string_equal(v.hooks[0].verify[0], "/bin/gone");
    assert_int_equal(v.hooks[1].timeout_ns, INT64_C(2000000000));
    assert_true(violation_hooks_equal(&v, &other));
    other.n_hooks = 1;
    assert_false(violation_hooks_equal(&v, &other));
    arena_deinit(&a);
}

static void kinds_and_reactions_are_known_by_name(void **state)
{
    enum violation v;

    (void)state;
    for (unsigned i = 0; i < VIOLATION_COUNT; i++) {
        assert_true(violation_find(span_str(violation_name((enum violation)i)), &v));
        assert_int_equal(v, i);
    }
    assert_false(violation_find(span_str("colour"), &v));
    assert_string_equal(reaction_name(REACTION_ALERT), "alert");
    assert_string_equal(reaction_name(REACTION_REVOKE), "revoke");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_is_read_whole),
        cmocka_unit_test(an_unanswered_question_kills_unless_the_policy_says_else),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(hooks_are_for_names_that_match),
        cmocka_unit_test(kinds_and_reactions_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
