#include "testing.h"

#include "prompt/prompt_user.h"

static struct arena memory;

static int set_up(void **state)
{
    (void)state;
    arena_init(&memory, 0, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&memory);
    return 0;
}

static void assert_user(const char *body, const char *expected)
{
    struct span user;
    struct error err;

    assert_true(prompt_user(&memory, span_str(body), (struct json_known){0}, &user, &err));
    if (!span_is(user, expected)) {
        fail_msg("%s: \"" SPAN_FMT "\", expected \"%s\"", body, SPAN_ARG(user), expected);
    }
}

static void each_protocols_member_names_the_user(void **state)
{
    (void)state;
    assert_user("{\"model\":\"m\",\"user\":\"ann\",\"messages\":[]}", "ann");
    assert_user("{\"safety_identifier\":\"ann\"}", "ann");
    assert_user("{\"metadata\":{\"user_id\":\"ann\"}}", "ann");
    assert_user("{\"user\":4711}", "4711");
}

static void the_newer_member_comes_first(void **state)
{
    (void)state;
    assert_user("{\"user\":\"old\",\"safety_identifier\":\"new\"}", "new");
    assert_user("{\"metadata\":{\"user_id\":\"meta\"},\"user\":\"old\"}", "old");
    assert_user("{\"safety_identifier\":\"\",\"user\":\"old\"}", "old");
}

/* One name has one token, however it is written. */
static void escapes_are_undone(void **state)
{
    (void)state;
    assert_user("{\"\\u0075ser\":\"a\\u006en\"}", "ann");
}

static void a_body_without_one_has_none(void **state)
{
    static const char *const bodies[] = {"[]", "\"user\"", "{\"user\":null}", "{\"user\":{\"id\":\"a\"}}",
                                         "{}", "null", "{\"metadata\":\"user_id\"}", "{\"messages\":[{\"user\":\"a\"}]}"};

    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        assert_user(bodies[i], "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_protocols_member_names_the_user, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_newer_member_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(escapes_are_undone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_body_without_one_has_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
