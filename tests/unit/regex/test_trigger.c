#include "testing.h"

#include "regex/trigger.h"

static struct buf core, prefix;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    buf_init(&core, 65536);
    buf_init(&prefix, 65536);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buf_deinit(&core);
    buf_deinit(&prefix);
    return 0;
}

static void assert_core(const char *pattern, const char *expected)
{
    buf_clear(&core);
    assert_true(trigger_core(span_str(pattern), &core, &err));
    assert_int_equal(core.len, strlen(expected));
    assert_memory_equal(core.data, expected, core.len);
}

static void assert_prefix(const char *pattern, const char *expected)
{
    buf_clear(&core);
    buf_clear(&prefix);
    assert_true(trigger_core(span_str(pattern), &core, &err));
    assert_true(trigger_prefix(buf_span(&core), &prefix, &err));
    assert_int_equal(prefix.len, strlen(expected));
    assert_memory_equal(prefix.data, expected, prefix.len);
}

static void the_core_has_no_look_arounds(void **state)
{
    (void)state;
    assert_core("(?<![a-z])ghp_(?=x(y|z))[a-z]{3}(?!\\))", "ghp_[a-z]{3}");
}

/* The repeat of a look-around is not that of what stands before it; a comment's is. */
static void repeats_of_look_arounds_go_with_them(void **state)
{
    (void)state;
    assert_core("(?<=x)?abc", "abc");
    assert_core("q(?=x){2}abc(?!y)*?z", "qabcz");
    assert_core("a(?=b){0}b", "ab");
    assert_core("a(?#c){3}b", "a{3}b");
}

static void groups_lose_names_and_atomicity(void **state)
{
    (void)state;
    assert_core("(?<secret>a+)(?P<x>b)(?>c)(d)", "(?:a+)(?:b)(?:c)(?:d)");
}

static void possessive_repeats_become_greedy(void **state)
{
    (void)state;
    assert_core("a++b{2,3}+c?+d+", "a+b{2,3}c?d+");
}

static void a_back_reference_becomes_its_group(void **state)
{
    (void)state;
    assert_core("(?<s>[ -]?)x\\k<s>(y+)\\2", "(?:[ -]?)x(?:[ -]?)(?:y+)(?:y+)");
    buf_clear(&core);
    assert_false(trigger_core(span_str("(a\\1)"), &core, &err));
}

static void a_class_may_hold_anything(void **state)
{
    (void)state;
    assert_core("[](?=x)[:alpha:]\\]]+z", "[](?=x)[:alpha:]\\]]+z");
}

static void inline_options_stay(void **state)
{
    (void)state;
    assert_core("(?i)key(?-i:X)", "(?i)key(?-i:X)");
}

static void what_a_rule_may_not_use_is_refused(void **state)
{
    static const char *const patterns[] = {"\\Aabc", "abc\\z", "a\\Kb", "(*ACCEPT)a", "(?R)", "(?1)", "(?(1)a|b)", "(?C1)a",
                                           "key[0)|q+e", "a)(?:b", "(?:a", "a\\", "\\Xa"};

    (void)state;
    for (size_t i = 0; i < COUNT(patterns); i++) {
        buf_clear(&core);
        assert_false(trigger_core(span_str(patterns[i]), &core, &err));
    }
}

static void the_prefix_cuts_the_last_repeat_to_its_minimum(void **state)
{
    (void)state;
    assert_prefix("ya29\\.[A-Za-z0-9_-]{20,1024}", "ya29\\.[A-Za-z0-9_-]{20}");
    assert_prefix("abc[0-9]+", "abc[0-9]");
    assert_prefix("abc[0-9]+?", "abc[0-9]");
    assert_prefix("abc[0-9]*", "abc");
    assert_prefix("abcd?e?", "abc");
    assert_prefix("abc(?:-[0-9]{1,4})?", "abc");
    assert_prefix("abc[0-9]{4}", "abc[0-9]{4}");
}

static void top_level_alternatives_are_left_alone(void **state)
{
    (void)state;
    assert_prefix("abc[0-9]{1,9}|def[0-9]{1,9}", "abc[0-9]{1,9}|def[0-9]{1,9}");
}

static void leading_literals_are_told(void **state)
{
    struct trigger_literals l;

    (void)state;
    trigger_literals(span_str("ghp_[a-z]{3}"), &l);
    assert_int_equal(l.n, 1);
    assert_memory_equal(l.text[0], "ghp_", 4);
    assert_int_equal(l.len[0], 4);
    trigger_literals(span_str("(?:AKIA|ASIA)-\\.x{2}"), &l);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.len[1], 6);
    assert_memory_equal(l.text[1], "ASIA-.", 6);
    trigger_literals(span_str("(?:a[bc]|d)e"), &l);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.len[1], 1);
    trigger_literals(span_str("(?:[bc]|d)e"), &l);
    assert_int_equal(l.n, 0);
    trigger_literals(span_str("abc|def"), &l);
    assert_int_equal(l.n, 0);
}

static void groups_around_literals_are_stepped_into(void **state)
{
    struct trigger_literals l;

    (void)state;
    trigger_literals(span_str("(?:(?:postgres(?:ql)?(?:x)?)://[a-z]{3})"), &l);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.len[0], 8);
    trigger_literals(span_str("(?:(?:rediss?|valkey)://x)"), &l);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.len[0], 5);
    assert_int_equal(l.len[1], 6);
    trigger_literals(span_str("(?:(?:ab|cd)ef|gh)"), &l);
    assert_int_equal(l.n, 0);
}

/* What stands in another alternative begins a match as well. */
static void an_alternative_behind_a_group_is_seen(void **state)
{
    static const char *const patterns[] = {
        "(?:abcx?)|d+e", "(?:abc|defx?)|g+h", "(?i)(?:abcx?)|d+e", "(?:(?:abc|defx?)g)|h", "(?:abc)|d+e", "(?:abc)+|d", "\\d|abc",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(patterns); i++) {
        struct trigger_literals l;
        trigger_literals(span_str(patterns[i]), &l);
        assert_int_equal(l.n, 0);
    }
}

static void width_is_an_upper_bound(void **state)
{
    (void)state;
    assert_int_equal(trigger_max_width((struct span){0}), 0);
    assert_int_equal(trigger_max_width(span_str("abc[0-9]{2,5}")), 8);
    assert_int_equal(trigger_max_width(span_str("a|bcd|(?:ef){3}")), 6);
    assert_int_equal(trigger_max_width(span_str("(?:ab?){0,4}.")), 12);
    assert_int_equal(trigger_max_width(span_str("a+?")), TRIGGER_WIDTH_UNBOUNDED);
    assert_int_equal(trigger_max_width(span_str("(?i)aks")), 6);
    assert_int_equal(trigger_max_width(span_str("(?:x*){3}")), TRIGGER_WIDTH_UNBOUNDED);
    assert_int_equal(trigger_max_width(span_str("[^a]{10}")), 40);
    assert_int_equal(trigger_max_width(span_str("[\\w.+-]{10}\\d\\.")), 12);
    assert_int_equal(trigger_max_width(span_str("[\\S]\\x{e9}.\\h")), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_has_no_look_arounds),
        cmocka_unit_test(repeats_of_look_arounds_go_with_them),
        cmocka_unit_test(groups_lose_names_and_atomicity),
        cmocka_unit_test(possessive_repeats_become_greedy),
        cmocka_unit_test(a_back_reference_becomes_its_group),
        cmocka_unit_test(a_class_may_hold_anything),
        cmocka_unit_test(inline_options_stay),
        cmocka_unit_test(what_a_rule_may_not_use_is_refused),
        cmocka_unit_test(the_prefix_cuts_the_last_repeat_to_its_minimum),
        cmocka_unit_test(top_level_alternatives_are_left_alone),
        cmocka_unit_test(leading_literals_are_told),
        cmocka_unit_test(groups_around_literals_are_stepped_into),
        cmocka_unit_test(an_alternative_behind_a_group_is_seen),
        cmocka_unit_test(width_is_an_upper_bound),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
