#include "testing.h"

#include "query/timestamp.h"

#define SECONDS(s) ((int64_t)(s)*1000000000)

static void every_form_is_read(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"1970-01-01", 0},
        {"1969-12-31T23:59:59Z", SECONDS(-1)},
        {"1970-01-02T00:00:00Z", SECONDS(86400)},
        {"1970-01-01T00:01", SECONDS(60)},
        {"1970-01-01 00:00:01.25Z", SECONDS(1) + 250000000},
        {"1970-01-01T01:00:00+01:00", 0},
        {"1969-12-31T23:00:00-01:00", 0},
        {"2026-11-21T08:00:00.123456789Z", SECONDS(1795248000) + 123456789},
        {"30s", SECONDS(1000000 - 30)},
        {"2h", SECONDS(1000000 - 7200)},
        {"1d", SECONDS(1000000 - 86400)},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ns = -1;
        assert_true(timestamp_parse(span_str(cases[i].text), SECONDS(1000000), &ns));
        assert_int_equal(ns, cases[i].ns);
    }
}

static void what_is_no_time_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "yesterday",
                                        "2026-13-01",
                                        "2026-02-30",
                                        "2026-11-21T",
                                        "2026-11-21T25:00Z",
                                        "2026-11-21T08:00:00X",
                                        "5y",
                                        "12345678d",
                                        "2026-11-21T08:00:00+99:00"};
    int64_t ns;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(timestamp_parse(span_str(texts[i]), 0, &ns));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(what_is_no_time_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
