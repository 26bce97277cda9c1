#include "testing.h"

#include "base/span.h"

#include "link/stages.h"

static void numbers_shares_and_names_are_stages(void **state)
{
    static const char *const good[] = {"100%", "1:10m,100%", "1:0s,25%:30m,100%", "web-1+web-2:1h,100%", "web-1,3,50%,100%:1s"};
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(link_stages_check(good[i], &err));
    }
}

static void what_is_none_is_refused(void **state)
{
    static const char *const bad[] = {"",          "1",         "0,100%",     "101%",         "0%,100%",      "1:,100%",  "1:10,100%",
                                      "1:10d,100%", "1:m,100%", "1,100%,",    ",100%",        "web-1+,100%",  "-1,100%",  "1:1m:1m,100%",
                                      "Web,100%",   "01,100%",  "100000000s", "1:9999999s,100%", "a'b,100%",  "100% ",    "1;100%"};
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(link_stages_check(bad[i], &err));
        assert_int_equal(err.kind, ERROR_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_shares_and_names_are_stages),
        cmocka_unit_test(what_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
