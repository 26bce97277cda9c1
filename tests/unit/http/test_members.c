#include "testing.h"

#include "http/members.h"

struct body {
    struct span name, text;
    bool flag, other;
};

enum { FIRST = 1, SECOND = 2 };

#define AT(member) offsetof(struct body, member)
static const struct member members[] = {
    {"name", &member_name, AT(name), FIRST},
    {"text", &member_text, AT(text), FIRST},
    {"flag", &member_flag, AT(flag), FIRST},
    {"other", &member_flag, AT(other), SECOND},
    {0},
};

static struct arena arena;
static struct filter_fault fault;
static struct body body;
static struct member_reader reader;

static bool read_body(const char *json, unsigned kinds, bool is_open)
{
    arena_deinit(&arena);
    arena_init(&arena, 0, 1 << 16);
    body = (struct body){0};
    fault = (struct filter_fault){0};
    reader = (struct member_reader){.arena = &arena, .members = members, .out = &body, .fault = &fault, .kinds = kinds,
                                    .is_open = is_open};
    return members_read(&reader, span_str(json));
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static void members_go_where_their_rows_say(void **state)
{
    (void)state;
    assert_true(read_body("{\"flag\":true,\"na\\u006de\":\"a\\nb\",\"text\":\"\"}", FIRST, false));
    assert_true(body.flag);
    assert_true(span_is(body.name, "a\nb"));
    assert_true(members_has(&reader, "text") && !members_has(&reader, "other"));
    assert_true(read_body("{\"other\":false,\"flag\":true}", 0, false));
    assert_true(body.flag && !body.other);
}

static void a_fault_lists_what_there_is_and_quotes_nothing(void **state)
{
    static const struct {
        const char *json;
        unsigned kinds, status;
        const char *pointer, *detail;
    } cases[] = {
        {"[]", FIRST, 422, "", "an object expected"},
        {"{\"colour\":1}", FIRST, 422, "/colour", "only the members name, text and flag expected"},
        {"{\"colour7\":1}", FIRST, 422, "", "only the members name, text and flag expected"},
        {"{\"flag\":true}", SECOND, 422, "/flag", "only the member other expected"},
        {"{\"flag\":true,\"fl\\u0061g\":true}", FIRST, 400, "/flag", "each member once expected"},
        {"{\"flag\":\"true\"}", FIRST, 422, "/flag", "true or false expected"},
        {"{\"flag\":null}", FIRST, 422, "/flag", "true or false expected"},
        {"{\"text\":7}", FIRST, 422, "/text", "a string expected"},
        {"{\"name\":{}}", FIRST, 422, "/name", "a string of at most 254 bytes expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(read_body(cases[i].json, cases[i].kinds, false));
        assert_int_equal(fault.status, cases[i].status);
        assert_string_equal(fault.pointer, cases[i].pointer);
        assert_string_equal(fault.detail, cases[i].detail);
    }
}

/* As of clients whose later versions say more. */
static void an_open_body_has_members_that_are_passed_over(void **state)
{
    (void)state;
    assert_true(read_body("{\"colour\":{\"flag\":7},\"flag\":null,\"text\":\"a\"}", FIRST, true));
    assert_true(span_is(body.text, "a"));
    assert_false(members_has(&reader, "flag"));
    assert_false(read_body("{\"text\":\"a\",\"text\":null}", FIRST, true));
    assert_int_equal(fault.status, 400);
}

static void a_parameter_is_read_by_its_row(void **state)
{
    (void)state;
    assert_true(read_body("{}", FIRST, false));
    assert_true(members_set(&reader, span_str("name"), span_str("a")));
    assert_true(members_set(&reader, span_str("flag"), span_str("1")));
    assert_true(span_is(body.name, "a") && body.flag);
    assert_false(members_set(&reader, span_str("name"), span_str("b")));
    assert_int_equal(fault.status, 400);
    assert_false(members_set(&reader, span_str("text"), span_str("b")));
    assert_string_equal(fault.detail, "only the parameters name and flag expected");
    reader.seen = 0;
    assert_false(members_set(&reader, span_str("flag"), span_str("yes")));
    assert_string_equal(fault.detail, "flag: true or false expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(members_go_where_their_rows_say, tear_down),
        cmocka_unit_test_teardown(a_fault_lists_what_there_is_and_quotes_nothing, tear_down),
        cmocka_unit_test_teardown(an_open_body_has_members_that_are_passed_over, tear_down),
        cmocka_unit_test_teardown(a_parameter_is_read_by_its_row, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
