#include "testing.h"

#include "jail/egress/wire/held.h"

static struct error err;

static void buffers_share_what_there_is(void **state)
{
    struct egress_held held = {.max = 1000};
    struct buf a, b;

    (void)state;
    buf_init(&a, 0);
    buf_init(&b, 0);
    egress_held_raise(&held, &a, 600);
    egress_held_raise(&held, &b, 600);
    assert_int_equal(a.max, 600);
    assert_int_equal(b.max, 400);
    assert_true(buf_reserve(&a, 300, &err));
    egress_held_trim(&held, &a);
    assert_int_equal(a.max, a.cap);
    assert_int_equal(held.n, 400 + a.cap);
    egress_held_raise(&held, &b, 10000);
    assert_int_equal(held.n, 1000);
    assert_false(buf_reserve(&b, 1000, &err));
    egress_held_free(&held, &a);
    egress_held_free(&held, &b);
    assert_int_equal(held.n, 0);
    assert_int_equal(b.max, 0);
    egress_held_free(&held, &b); /* once more is nothing */
    assert_int_equal(held.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_share_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
