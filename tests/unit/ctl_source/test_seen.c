#include "testing.h"

#include <stdio.h>

#include "ctl/source/seen.h"

static struct seen_key key_of(const struct seen *s, const char *a, const char *b)
{
    const struct span parts[] = {span_str(a), span_str(b)};

    return seen_key_of(s, parts, COUNT(parts));
}

static void what_was_added_is_counted_and_nothing_else_is_there(void **state)
{
    struct seen s;
    struct error err;
    uint32_t before;
    char name[16];

    (void)state;
    seen_init(&s);
    assert_false(seen_has(&s, key_of(&s, "x", "0")));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1000; i++) {
            (void)snprintf(name, sizeof(name), "%d", i);
            assert_true(seen_add(&s, key_of(&s, "x", name), &before, &err));
            assert_int_equal(before, round);
        }
    }
    assert_int_equal(s.n, 1000);
    assert_true(seen_has(&s, key_of(&s, "x", "999")));
    assert_false(seen_has(&s, key_of(&s, "x", "1000")));
    assert_false(seen_has(&s, key_of(&s, "x9", "99")));
    seen_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_counted_and_nothing_else_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
