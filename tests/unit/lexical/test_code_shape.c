/* test_code_shape.c - what stands in place of a value in code and data, and values that look a little like it. */
#include "testing.h"

#include "lexical/code_shape.h"

static void knows_what_is_no_value(void **state)
{
    static const char *const texts[] = {
        "62V70H477V55Q479",                 /* outlines in SVG */
        "32-32V550H546v376zm334-616H732",
        "-213h-766v66h350v865h66v-865h350v-66",
        "P3Y6M4DT12H30M5S",                 /* a duration */
        "P1DT12H",
        "1000:1000::/home/kofi",            /* the rest of a line of passwd */
        ":::::userdb_quota_rule=*:storage=100M",
        "0-9A-Za-z",                        /* classes of characters */
        "[a-zA-Z_]",
        "snmp_get_mnesia_key/2",            /* a function of Erlang */
        "vbrpass=",                         /* an option */
        "s-1IPC",                           /* letters of another size in troff */
        "\\s-1SRP\\s0",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (!code_shape_is(span_str(texts[i]))) {
            fail_msg("a value: %s", texts[i]);
        }
    }
}

static void values_are_not_code(void **state)
{
    static const char *const texts[] = {
        "k8Jx2Lq9Zr4Tn7VwB3dE", "7c1e9a4b2d8f60351f7be84a90c6d23e", "1a2c3a4c5a6c7a8c9a0c1a2c3a4c5a6c", "12M34H56",
        "M4l0Q2hT9vS",          "Pa5sY7",                           "10:44:vK7#tq2Zp9",                "A-Z9x!pQ2",
        "vK7#tq2Zp9/2",         "cGFzczEyMw==",                     "s-1rT9q",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (code_shape_is(span_str(texts[i]))) {
            fail_msg("no value: %s", texts[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_is_no_value),
        cmocka_unit_test(values_are_not_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
