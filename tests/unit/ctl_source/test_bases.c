#include "testing.h"

#include "ctl/source/bases.h"

enum { OVERHEAD = 128, ROOM = 3 * (OVERHEAD + 10) };

static const char packs[2];

static void begin(struct bases *b)
{
    struct error err;

    assert_true(bases_init(b, ROOM, &err));
}

static void put(struct bases *b, size_t offset, size_t len)
{
    struct error err;
    struct content *content = content_alloc(len, &err);

    assert_non_null(content);
    bases_put(b, (struct bases_place){packs, offset}, content);
    content_release(content);
}

static bool has(struct bases *b, size_t offset)
{
    struct content *content = bases_hold(b, (struct bases_place){packs, offset});

    content_release(content);
    return content != NULL;
}

static void those_used_last_are_kept(void **state)
{
    struct bases b;

    (void)state;
    begin(&b);
    put(&b, 1, 10);
    put(&b, 2, 10);
    put(&b, 3, 10);
    assert_true(has(&b, 1));
    assert_null(bases_hold(&b, (struct bases_place){packs + 1, 1}));
    put(&b, 4, 10);
    assert_true(has(&b, 1));
    assert_false(has(&b, 2));
    assert_true(has(&b, 3) && has(&b, 4));
    put(&b, 5, ROOM - OVERHEAD);
    assert_false(has(&b, 1) || has(&b, 3) || has(&b, 4));
    assert_true(has(&b, 5));
    put(&b, 6, ROOM);
    assert_false(has(&b, 6));
    assert_true(has(&b, 5));
    bases_deinit(&b);
}

static void what_is_taken_is_not_kept(void **state)
{
    struct bases b;

    (void)state;
    begin(&b);
    put(&b, 1, 10);
    put(&b, 2, 10);
    struct content *content = bases_take(&b, (struct bases_place){packs, 1});
    assert_non_null(content);
    assert_int_equal(content->len, 10);
    content_release(content);
    assert_null(bases_take(&b, (struct bases_place){packs, 1}));
    assert_int_equal(b.bytes, OVERHEAD + 10);
    assert_true(has(&b, 2));
    bases_deinit(&b);
}

static void more_than_what_is_near_is_kept_of_a_few(void **state)
{
    enum { FEW = 50 };
    struct error err;
    struct bases b;

    (void)state;
    assert_true(bases_init(&b, (OVERHEAD + 10) * (FEW + 30), &err));
    for (size_t i = 1; i <= FEW + 20; i++) {
        put(&b, i, 10);
    }
    assert_true(has(&b, 1));
    b.near_bytes = (OVERHEAD + 10) * 10;
    put(&b, 2 * FEW, 10);
    assert_int_equal(b.bytes, (OVERHEAD + 10) * FEW);
    assert_true(has(&b, 1) && has(&b, 2 * FEW) && has(&b, FEW + 20));
    assert_false(has(&b, 2) || has(&b, 20));
    bases_deinit(&b);
}

static void a_held_content_outlives_its_place(void **state)
{
    struct bases b;

    (void)state;
    begin(&b);
    put(&b, 1, 10);
    struct content *content = bases_take(&b, (struct bases_place){packs, 1});
    assert_non_null(content);
    bases_deinit(&b);
    assert_int_equal(content->len, 10);
    content_release(content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_used_last_are_kept),
        cmocka_unit_test(what_is_taken_is_not_kept),
        cmocka_unit_test(more_than_what_is_near_is_kept_of_a_few),
        cmocka_unit_test(a_held_content_outlives_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
