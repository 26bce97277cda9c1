/* Terms of lines: what is read, and that everything else is refused. */
#include "testing.h"

#include "decision_log/retention.h"

#define DAY (INT64_C(86400) * 1000000000)

static void terms_of_all_and_of_types(void **state)
{
    struct retention r;
    struct error err;

    (void)state;
    assert_true(retention_parse(span_str("400d"), &r, &err));
    assert_int_equal(retention_term(&r, span_str("decision")), 400 * DAY);
    assert_true(retention_parse(span_str("2w,review=6y,access=12h"), &r, &err));
    assert_int_equal(retention_term(&r, span_str("decision")), 14 * DAY);
    assert_int_equal(retention_term(&r, span_str("of a later version")), 14 * DAY);
    assert_int_equal(retention_term(&r, span_str("review")), 6 * 366 * DAY);
    assert_int_equal(retention_term(&r, span_str("access")), DAY / 2);
}

static void nothing_is_removed_without_a_term(void **state)
{
    const struct retention r = {.all_ns = 0};

    (void)state;
    assert_int_equal(retention_term(&r, span_str("decision")), 0);
}

static void everything_else_is_refused(void **state)
{
    static const char *const wrong[] = {"",        "d",           "0d",           "400",       "400 d",          "-1d",
                                        "1.5y",    "400d,",       "400d,6y",      "review=6y", "400d,review=",   "400d,review=0d",
                                        "400d,=6y", "400d,reviews=6y", "400d,review=6y,review=7y", "400d,review,access=6y",
                                        "99999999999999999999d", "300y", "400d,a-type-of-a-long-name=1d", "400d,type:log=1d"};
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct retention r = {.all_ns = 7};
        if (retention_parse(span_str(wrong[i]), &r, &err)) {
            fail_msg("%s: taken", wrong[i]);
        }
        assert_int_equal(err.kind, ERROR_INVALID);
        assert_int_equal(r.all_ns, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_of_all_and_of_types),
        cmocka_unit_test(nothing_is_removed_without_a_term),
        cmocka_unit_test(everything_else_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
