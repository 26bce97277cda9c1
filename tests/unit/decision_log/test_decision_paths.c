/* Which parts of a path a record may hold. */
#include "unit/decision_log/decision_format_testing.h"

static const char *path_as_recorded(struct fixture *f, const char *path)
{
    start(f);
    add_channel(f, path, "x");
    return text_at(item(format(f), "channels", 0), "path");
}

static void names_in_a_path_are_clear_only_when_they_are_made_of_known_words(void **state)
{
    static const char *const clear[] = {"/messages/0/content", "/order_id/12345", "", "/", "/items//name"};
    static const char *const hidden[] = {"/123-45-6789 and",
                                         "/user@example.com",
                                         "/a~1b",
                                         "/\xc3\xa9",
                                         "/x123456",
                                         "/E2EKEY-4kq9Zt7X",
                                         "/hunter",
                                         "/k"};
    struct fixture f;
    (void)state;
    for (size_t i = 0; i < COUNT(clear); i++) {
        assert_string_equal(path_as_recorded(&f, clear[i]), clear[i]);
        end(&f);
    }
    for (size_t i = 0; i < COUNT(hidden); i++) {
        const char *path = path_as_recorded(&f, hidden[i]);
        assert_memory_equal(path, "/~tok:", 6);
        assert_token(path + 6, hidden[i] + 1);
        end(&f);
    }
}

static void a_name_of_digits_is_hidden(void **state)
{
    struct fixture f;
    (void)state;
    const char *path = path_as_recorded(&f, "/~24111111");
    assert_memory_equal(path, "/~tok:", 6);
    assert_token(path + 6, "4111111");
    end(&f);
}

/* The channel of that name was judged elsewhere, and is none of the exchange's. */
static void a_finding_in_a_name_elsewhere_hides_all_names(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "/arguments/content", "x");
    f.exchange.has_findings_in_names = true;
    (void)format(&f);
    assert_false(holds(&f, "arguments"));
    assert_false(holds(&f, "content"));
    end(&f);
}

static void a_name_with_a_finding_hides_all_names(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "/AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE")->is_member_name = true;
    add_channel(&f, "/AKIAIOSFODNN7EXAMPLE/3", "value");
    add_finding(&f, 0, 0, 20)->action = ACTION_BLOCK;
    const json_t *r = format(&f);
    assert_false(holds(&f, "AKIA"));
    const char *path = text_at(item(r, "channels", 1), "path");
    assert_string_equal(path + strlen(path) - 2, "/3");
    end(&f);
}

static void names_that_were_not_judged_are_hidden(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "/hunter", "hunter")->is_member_name = true;
    f.channels[0].judged = 0;
    (void)format(&f);
    assert_false(holds(&f, "hunter"));
    end(&f);
    start(&f);
    add_channel(&f, "/hunter", "x");
    f.exchange.unjudged_reason = "limit";
    (void)format(&f);
    assert_false(holds(&f, "hunter"));
    end(&f);
}

static void a_long_path_is_one_token(void **state)
{
    char path[400];
    struct fixture f;
    (void)state;
    for (size_t i = 0; i + 2 < sizeof(path); i += 2) {
        memcpy(path + i, "/a", 3);
    }
    const char *recorded = path_as_recorded(&f, path);
    assert_memory_equal(recorded, "~tok:", 5);
    assert_token(recorded + 5, path);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_in_a_path_are_clear_only_when_they_are_made_of_known_words),
        cmocka_unit_test(a_name_of_digits_is_hidden),
        cmocka_unit_test(a_finding_in_a_name_elsewhere_hides_all_names),
        cmocka_unit_test(a_name_with_a_finding_hides_all_names),
        cmocka_unit_test(names_that_were_not_judged_are_hidden),
        cmocka_unit_test(a_long_path_is_one_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
