#include "testing.h"

#include <stdio.h>
#include <time.h>

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

/* With the days that months do not have. */
static void days_are_those_of_the_calendar(void **state)
{
    char text[64];
    int64_t ns;

    (void)state;
    for (int year = 1700; year < 2262; year++) {
        for (int month = 1; month <= 12; month++) {
            for (int day = 1; day <= 31; day++) {
                struct tm t = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = 13, .tm_min = 59, .tm_sec = 60};
                time_t seconds = timegm(&t);
                (void)snprintf(text, sizeof(text), "%04d-%02d-%02dT13:59:60Z", year, month, day);
                bool is_read = timestamp_parse(span_str(text), 0, &ns);
                assert_int_equal(is_read, t.tm_mon == month - 1);
                assert_true(!is_read || ns == SECONDS(seconds));
            }
        }
    }
    assert_false(timestamp_parse(span_str("2016-12-31T23:59:60Z"), 0, &ns));
    assert_false(timestamp_parse(span_str("2026-00-10"), 0, &ns));
    assert_false(timestamp_parse(span_str("2026-01-00"), 0, &ns));
    assert_false(timestamp_parse(span_str("9999-12-31"), 0, &ns)); /* too far away for nanoseconds */
    assert_false(timestamp_parse(span_str("0000-01-01"), 0, &ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(days_are_those_of_the_calendar),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
