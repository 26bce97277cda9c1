#include "testing.h"

#include "jail/egress/wire/memory.h"

static struct error err;

static void buffers_share_what_there_is(void **state)
{
    struct egress_memory memory = {.max = 1000};
    struct buf a, b;

    (void)state;
    buf_init(&a, 0);
    buf_init(&b, 0);
    egress_memory_raise(&memory, &a, 600);
    egress_memory_raise(&memory, &b, 600);
    assert_int_equal(a.max, 600);
    assert_int_equal(b.max, 400);
    assert_true(buf_reserve(&a, 300, &err));
    egress_memory_trim(&memory, &a);
    assert_int_equal(a.max, a.cap);
    assert_int_equal(memory.n, 400 + a.cap);
    egress_memory_raise(&memory, &b, 10000);
    assert_int_equal(memory.n, 1000);
    assert_false(buf_reserve(&b, 1000, &err));
    egress_memory_free(&memory, &a);
    egress_memory_free(&memory, &b);
    assert_int_equal(memory.n, 0);
    assert_int_equal(b.max, 0);
    egress_memory_free(&memory, &b); /* once more is nothing */
    assert_int_equal(memory.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_share_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
