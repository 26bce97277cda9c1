#include "testing.h"

#include "page/form.h"

static struct arena memory;
static struct form form;
static struct error err;

static bool parse(const char *body)
{
    arena_reset(&memory);
    form = (struct form){0};
    return form_parse(&memory, span_str(body), &form, &err);
}

static void assert_value(const char *name, const char *expected)
{
    struct span value = form_value(&form, name);

    if (!span_is(value, expected)) {
        fail_msg("%s: " SPAN_FMT, name, SPAN_ARG(value));
    }
}

static void fields_are_decoded_in_their_order(void **state)
{
    (void)state;
    assert_true(parse("token=a%2Bb+c&why=%C3%BCber&seq=1&seq=2&empty=&bare&=x&a=b=c"));
    assert_int_equal(form.n, 8);
    assert_value("token", "a+b c");
    assert_value("why", "\xc3\xbc" "ber");
    assert_value("seq", "1");
    assert_true(span_is(form.fields[3].name, "seq") && span_is(form.fields[3].value, "2"));
    assert_value("empty", "");
    assert_value("bare", "");
    assert_value("a", "b=c");
    assert_value("missing", "");
    assert_true(parse(""));
    assert_int_equal(form.n, 0);
}

static void what_is_no_form_is_refused(void **state)
{
    (void)state;
    static const char *const bodies[] = {"a=%", "a=%4", "a=%zz", "a=%00", "a%00=b", "a=%ff", "a=%C3", "%e2%80=x", "a=\xff"};

    for (size_t i = 0; i < COUNT(bodies); i++) {
        if (parse(bodies[i])) {
            fail_msg("%s", bodies[i]);
        }
        assert_int_equal(err.kind, ERROR_INVALID);
    }
    assert_false(form_parse(&memory, span_of("a=\0b", 4), &form, &err));
}

static void fields_have_a_limit(void **state)
{
    (void)state;
    char body[2 * FORM_FIELDS_MAX + 3] = "";

    for (size_t i = 0; i < FORM_FIELDS_MAX; i++) {
        body[2 * i] = 'a';
        body[2 * i + 1] = '&';
    }
    body[2 * FORM_FIELDS_MAX - 1] = '\0';
    assert_true(parse(body));
    assert_int_equal(form.n, FORM_FIELDS_MAX);
    body[2 * FORM_FIELDS_MAX - 1] = '&';
    assert_false(parse(body));
    assert_int_equal(err.kind, ERROR_LIMIT);
}

static int begin(void **state)
{
    (void)state;
    arena_init(&memory, 0, 64UL * 1024);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_deinit(&memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_decoded_in_their_order),
        cmocka_unit_test(what_is_no_form_is_refused),
        cmocka_unit_test(fields_have_a_limit),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
