#include "testing.h"

#include "base/arena.h"

enum { KEEP = 128 * 1024, MAX = 1024 * 1024 };

static void memory_is_aligned_and_does_not_overlap(void **state)
{
    struct arena a;
    struct error err;
    char *before = NULL;
    size_t before_size = 0;
    (void)state;
    arena_init(&a, KEEP, MAX);
    for (size_t size = 0; size < 500; size++) {
        char *memory = arena_alloc(&a, size, &err);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        assert_true(before == NULL || memory >= before + before_size || memory < before);
        memset(memory, 0xa5, size);
        before = memory;
        before_size = size;
    }
    arena_deinit(&a);
}

static void small_blocks_hold_what_is_larger_than_they_are(void **state)
{
    struct arena a;
    struct error err;
    (void)state;
    arena_init(&a, 0, MAX);
    for (size_t size = 1; size < 1000; size += 7) {
        char *memory = arena_alloc(&a, size, &err);
        assert_non_null(memory);
        memset(memory, 0xa5, size);
    }
    arena_deinit(&a);
}

static void the_ceiling_holds_and_says_so(void **state)
{
    struct arena a;
    struct error err;
    (void)state;
    arena_init(&a, 0, 1000);
    assert_non_null(arena_alloc(&a, 900, &err));
    assert_null(arena_alloc(&a, 200, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_non_null(arena_alloc(&a, 50, &err));
    assert_null(arena_alloc(&a, SIZE_MAX, &err));
    arena_deinit(&a);
}

static void an_array_whose_size_overflows_is_refused(void **state)
{
    struct arena a;
    struct error err;
    (void)state;
    arena_init(&a, 0, SIZE_MAX);
    assert_null(arena_array(&a, SIZE_MAX / 8, 16, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_non_null(arena_array(&a, 0, 16, &err));
    assert_non_null(arena_array(&a, 16, 0, &err));
    arena_deinit(&a);
}

static void a_copy_is_equal_and_apart(void **state)
{
    char text[] = "text";
    struct span copy;
    struct arena a;
    struct error err;
    (void)state;
    arena_init(&a, KEEP, MAX);
    assert_true(arena_copy(&a, span_of(text, 4), &copy, &err));
    text[0] = 'T';
    assert_true(span_is(copy, "text"));
    assert_true(arena_copy(&a, span_of(NULL, 0), &copy, &err));
    assert_int_equal(copy.len, 0);
    arena_deinit(&a);
}

static void a_string_ends_with_a_nul(void **state)
{
    char text[] = "text";
    struct arena a;
    struct error err;
    (void)state;
    arena_init(&a, KEEP, MAX);
    const char *copy = arena_string(&a, span_of(text, 3), &err);
    text[0] = 'T';
    assert_string_equal(copy, "tex");
    assert_string_equal(arena_string(&a, span_of(NULL, 0), &err), "");
    assert_null(arena_string(&a, span_of(text, MAX), &err));
    arena_deinit(&a);
}

static void after_a_reset_the_same_memory_serves_again(void **state)
{
    struct arena a;
    struct error err;
    (void)state;
    arena_init(&a, KEEP, MAX);
    void *first = arena_alloc(&a, 100, &err);
    arena_reset(&a);
    assert_int_equal(a.used, 0);
    assert_ptr_equal(arena_alloc(&a, 100, &err), first);
    arena_deinit(&a);
}

static void a_large_exchange_does_not_pin_its_memory(void **state)
{
    struct arena a;
    struct error err;
    (void)state;
    arena_init(&a, KEEP, 64 * MAX);
    assert_non_null(arena_alloc(&a, 100, &err));
    assert_non_null(arena_alloc(&a, 32 * MAX, &err));
    arena_reset(&a);
    assert_non_null(arena_alloc(&a, 100, &err));
    assert_true(a.used < KEEP);
    arena_reset(&a);
    arena_deinit(&a);
    arena_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_does_not_overlap),
        cmocka_unit_test(small_blocks_hold_what_is_larger_than_they_are),
        cmocka_unit_test(the_ceiling_holds_and_says_so),
        cmocka_unit_test(an_array_whose_size_overflows_is_refused),
        cmocka_unit_test(a_copy_is_equal_and_apart),
        cmocka_unit_test(a_string_ends_with_a_nul),
        cmocka_unit_test(after_a_reset_the_same_memory_serves_again),
        cmocka_unit_test(a_large_exchange_does_not_pin_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
