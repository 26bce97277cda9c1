#include "testing.h"

#include <stdio.h>

#include "ctl/source/contents.h"
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

/* Filler: as many as it takes to push the first ones out. */
static void contents_stay_within_their_bytes_and_held_ones_live(void **state)
{
    struct contents c;
    struct error err;
    char id[41];

    (void)state;
    assert_true(contents_init(&c, 100, &err));
    for (int i = 0; i < 50; i++) {
        struct content *content = content_new(span_str("0123456789"), &err);
        (void)snprintf(id, sizeof(id), "%04x%036d", i * 7, i);
        contents_put(&c, span_str(id), content);
        content_release(content);
        assert_true(c.bytes <= 100);
        content = contents_get(&c, span_str(id));
        assert_non_null(content);
        assert_memory_equal(content->bytes, "0123456789", 10);
        content_release(content);
        (void)snprintf(id, sizeof(id), "%04x%036d", i * 7, i + 1);
        assert_null(contents_get(&c, span_str(id))); /* the same place, another blob */
    }
    struct content *kept = contents_get(&c, span_str("0157000000000000000000000000000000000049"));
    assert_non_null(kept);
    contents_deinit(&c);
    assert_memory_equal(kept->bytes, "0123456789", 10);
    content_release(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_counted_and_nothing_else_is_there),
        cmocka_unit_test(contents_stay_within_their_bytes_and_held_ones_live),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
