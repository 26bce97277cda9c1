/* test_label.c - what is a label that stands for what was redacted, and where one ends. */
#include "searching.h"

#include "judge/label.h"

static struct searching s;

static int set_up(void **state)
{
    (void)state;
    return searching_init(&s, "rules:\n" TEST_RULE("a-key", "secret", "high", "0.9", "pattern: 'abc'"));
}

static int tear_down(void **state)
{
    (void)state;
    return searching_deinit(&s);
}

static bool covers(const char *text, const char *word)
{
    return label_end(s.judge.rules, span_str(text), (size_t)(strstr(text, word) - text)) > 0;
}

static void each_byte_of_its_id_lies_in_it(void **state)
{
    const struct span text = span_str("x [a-key] y");

    (void)state;
    for (size_t at = 0; at < text.len; at++) {
        assert_int_equal(label_end(s.judge.rules, text, at), at >= 3 && at < 8 ? 9 : 0);
    }
    assert_int_equal(label_end(s.judge.rules, span_str("[a-key:hash:0123456789abcdef]."), 3), 29);
    assert_int_equal(label_end(s.judge.rules, span_str("[a-key:hash:0123 456]"), 3), 0);
}

static void only_the_id_of_a_rule_makes_one(void **state)
{
    (void)state;
    assert_false(covers("[b-key]", "key"));
    assert_false(covers("[a-keys]", "key"));
    assert_false(covers("a-key]", "key"));
    assert_false(covers("[a-key", "key"));
    assert_false(covers("[a-key)", "key"));
    assert_false(covers("[A-key]", "key"));
    assert_false(covers("[]", "]"));
}

static size_t last_end(const char *text, size_t from)
{
    return label_last_end(s.judge.rules, span_str(text), from, strlen(text));
}

static void the_last_one_ends_where_it_does(void **state)
{
    (void)state;
    assert_int_equal(last_end("a [a-key] b [a-key] c]", 0), 19);
    assert_int_equal(last_end("a [a-key] b", 5), 9); /* it may begin before */
    assert_int_equal(last_end("a [a-key] b", 9), 9);
    assert_int_equal(last_end("a [b] c", 2), 2);
    assert_int_equal(last_end("", 0), 0);
}

static void one_may_be_cut_off(void **state)
{
    (void)state;
    assert_int_equal(label_cut_off(span_str("see [a-k")), 4);
    assert_int_equal(label_cut_off(span_str("see [")), 4);
    assert_int_equal(label_cut_off(span_str("see [a-key]")), 11);
    assert_int_equal(label_cut_off(span_str("see a-k")), 7);
}

/* What a check reads before a value begins behind a label. */
static void a_label_is_no_name_of_the_value_behind_it(void **state)
{
    struct searching named;

    (void)state;
    assert_int_equal(searching_init(&named, "rules:\n" TEST_RULE("db-password", "secret", "high", "0.9",
                                                                 "boundary: none, pattern: '= (?<secret>[!-~]{11})', checks: [assigned_secret: {min: 0.5}]")),
                     0);
    search(&named, "[my-password] = Tz8-wmQ41x!");
    assert_int_equal(named.list.n, 1);
    search(&named, "[db-password] = Tz8-wmQ41x!");
    assert_int_equal(named.list.n, 0);
    assert_int_equal(searching_deinit(&named), 0);
}

/* A match that begins in a label is none, and hides none behind the label. */
static void a_label_names_nothing(void **state)
{
    struct searching named;

    (void)state;
    assert_int_equal(searching_init(&named, "rules:\n" TEST_RULE("db-password", "secret", "high", "0.9",
                                                                 "boundary: none, pattern: 'password[\\]=, ]{1,4}(?<secret>[!-~]{8,20})'")),
                     0);
    search(&named, "[a-password], k8jx2lq9zr4t");
    assert_int_equal(named.list.n, 1);
    search(&named, "[db-password], k8jx2lq9zr4t");
    assert_int_equal(named.list.n, 0);
    search(&named, "[db-password], password=k8jx2lq9");
    assert_int_equal(named.list.n, 1);
    assert_found(&named.list.items[0], "db-password", 24, 32, 90);
    assert_int_equal(searching_deinit(&named), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_byte_of_its_id_lies_in_it),
        cmocka_unit_test(only_the_id_of_a_rule_makes_one),
        cmocka_unit_test(the_last_one_ends_where_it_does),
        cmocka_unit_test(one_may_be_cut_off),
        cmocka_unit_test(a_label_is_no_name_of_the_value_behind_it),
        cmocka_unit_test(a_label_names_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
