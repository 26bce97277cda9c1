/* A filter never misses a value, and seldom has one that was not added. */
#include "testing.h"

#include <stdio.h>

#include "index/index_filter.h"
#include "index/index_line.h"

enum { KEYS = 2 * INDEX_BLOCK_LINES };

static uint64_t key_of(unsigned i)
{
    char text[40];

    (void)snprintf(text, sizeof(text), "k1:%032x", i);
    return index_filter_key(span_str(text));
}

static void what_was_added_is_there_and_little_else(void **state)
{
    static uint8_t filter[INDEX_FILTER];
    unsigned others = 0;

    (void)state;
    for (unsigned i = 0; i < KEYS; i++) {
        index_filter_add(filter, key_of(i));
    }
    for (unsigned i = 0; i < KEYS; i++) {
        assert_true(index_filter_may_have(filter, key_of(i)));
    }
    for (unsigned i = KEYS; i < KEYS + 100000; i++) {
        others += index_filter_may_have(filter, key_of(i));
    }
    assert_true(others < 200); /* one in 1,740 by the formula */
}

static void an_empty_filter_has_nothing(void **state)
{
    static const uint8_t filter[INDEX_FILTER];

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        assert_false(index_filter_may_have(filter, key_of(i)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_there_and_little_else),
        cmocka_unit_test(an_empty_filter_has_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
