#include "testing.h"

#include "base/buf.h"

static void appended_bytes_stand_in_order(void **state)
{
    struct buf b;
    struct error err;
    (void)state;
    buf_init(&b, 1000);
    assert_true(buf_append_str(&b, "one", &err));
    assert_true(buf_append_char(&b, ' ', &err));
    assert_true(buf_append(&b, span_of("t\0o", 3), &err));
    assert_true(buf_appendf(&b, &err, " %d%s", 3, "!"));
    assert_true(span_equal(buf_span(&b), span_of("one t\0o 3!", 10)));
    buf_deinit(&b);
}

static void nothing_is_allocated_before_something_is_appended(void **state)
{
    struct buf b;
    struct error err;
    (void)state;
    buf_init(&b, 1000);
    assert_null(b.data);
    assert_true(buf_append(&b, span_of(NULL, 0), &err));
    assert_int_equal(b.len, 0);
    buf_deinit(&b);
}

static void appending_past_the_ceiling_changes_nothing(void **state)
{
    struct buf b;
    struct error err;
    (void)state;
    buf_init(&b, 10);
    assert_true(buf_append_str(&b, "12345678", &err));
    assert_false(buf_append_str(&b, "9ab", &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(span_is(buf_span(&b), "12345678"));
    assert_true(buf_append_str(&b, "9a", &err));
    assert_false(buf_append_char(&b, 'b', &err));
    assert_true(span_is(buf_span(&b), "123456789a"));
    buf_deinit(&b);
}

static void a_size_that_would_overflow_is_refused(void **state)
{
    struct buf b;
    struct error err;
    (void)state;
    buf_init(&b, SIZE_MAX);
    assert_true(buf_append_char(&b, 'x', &err));
    assert_false(buf_reserve(&b, SIZE_MAX, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(span_is(buf_span(&b), "x"));
    buf_deinit(&b);
}

static void the_capacity_never_passes_the_ceiling(void **state)
{
    struct error err;
    (void)state;
    for (size_t max = 1; max < 2000; max += 97) {
        struct buf b;
        buf_init(&b, max);
        for (size_t i = 0; i < max; i++) {
            assert_true(buf_append_char(&b, 'x', &err));
            assert_true(b.cap <= max && b.len <= b.cap);
        }
        assert_false(buf_append_char(&b, 'x', &err));
        buf_deinit(&b);
    }
}

static void a_cleared_buffer_keeps_its_memory(void **state)
{
    struct buf b;
    struct error err;
    (void)state;
    buf_init(&b, 1000);
    assert_true(buf_append_str(&b, "text", &err));
    const char *data = b.data;
    buf_clear(&b);
    assert_int_equal(b.len, 0);
    assert_true(buf_append_str(&b, "more", &err));
    assert_ptr_equal(b.data, data);
    buf_deinit(&b);
    buf_deinit(&b);
    assert_int_equal(b.max, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_bytes_stand_in_order),
        cmocka_unit_test(nothing_is_allocated_before_something_is_appended),
        cmocka_unit_test(appending_past_the_ceiling_changes_nothing),
        cmocka_unit_test(a_size_that_would_overflow_is_refused),
        cmocka_unit_test(the_capacity_never_passes_the_ceiling),
        cmocka_unit_test(a_cleared_buffer_keeps_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
