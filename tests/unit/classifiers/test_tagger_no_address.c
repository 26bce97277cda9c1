#include "testing.h"

#include "classifiers/tagger_no_address.h"
#include "marked_finding.h"

static bool is_no_address(const char *marked)
{
    return said_of_marked(marked, tagger_is_no_address);
}

static void rows_of_numbers_and_words_of_programs_are_no_addresses(void **state)
{
    static const char *const none[] = {
        "4 1 -1 2 0 18 14 0.0000 [4 210 1065 13275 Olm Court]\\001",
        "4 0 0 100 0 18 10 0.0000 4 105 [465 8100 Court]",
        "4 105 465 8100 17325 [Berlin]",
        "a 596 5502 a [Fm(Olm)197 Court]",
        "197 4488 a [596 a Fm(Olm Court])f(Mail)",
        "b(to)596 1318 [y(Olm)]28",
        "6.5.[8-1 Dr. Olm]",
        "#[1363 Make Court]",
        "77.[73 FJY St Olm]",
        "SFX [637 cir Court]/666,120",
        "2001-[2013 Luce St-Amand (graphics)]",
        "Copyright (C) [2019-202] John Olm",
        "# \xc2\xa9 2011 [12 Olm Court]",
    };
    static const char *const addresses[] = {
        "Tel. 020 7946 0123 [12 Olm Court]",
        "Copyright: [1995 J Olm, 334 North Road, Deerfield]",
        "[12 Olm Court (Building 4)]",
        "Via Olm 11 - [09044 - Quartucciu (CA)]",
        "Apt #[12 Olm Court]",
        "rooms 1 2 and 3, [12 Olm Court]",
        "[17 Church Lane, Olm]",
        "",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        if (!is_no_address(none[i])) {
            fail_msg("%s", none[i]);
        }
    }
    for (size_t i = 0; i < COUNT(addresses); i++) {
        assert_false(is_no_address(addresses[i]));
    }
}

static void numbers_of_products_times_and_chapters_are_no_addresses(void **state)
{
    static const char *const none[] = {
        "Sat May  2 14:19:[51 CEST 2009  Olm]",  "-rw--  [82944 Mon Oct] 14 1996 1:38", "YRM-303 / YRM-[303 Needs Olm Unit]", "Hoofdstuk [3, Een Olm kiezen]",
        "2011-04-24 11:18:28 -[0700 Arun Olm]",  "00:01:44 +[0100 Olm]",
        "siehe Kapitel [12 Olm Court]",          "cap\xc3\xadtulo [7, Via Olm]",       "Figure [4 Olm Court]",
    };
    static const char *const addresses[] = {
        "SLO-[1000 Ljubljana]", "D-[10405 Berlin]", "at 9: [12 Olm Court]",     "Zip:[12345 Olm]",          "[82944 Monheim] Oct",
        "Via Olm 11 -[0944 Olm]", "Via Olm - [0944 Olm]", "B -[0944 Olm]",
        "[12 Mon Street]",      "[12 Sat Lane]",    "Chapter [1200 Olm Court]", "the chapter, [3 Olm Court]", "-[303 Olm Court]", "[Olm Court 3]",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        if (!is_no_address(none[i])) {
            fail_msg("%s", none[i]);
        }
    }
    for (size_t i = 0; i < COUNT(addresses); i++) {
        if (is_no_address(addresses[i])) {
            fail_msg("%s", addresses[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_numbers_and_words_of_programs_are_no_addresses),
        cmocka_unit_test(numbers_of_products_times_and_chapters_are_no_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
