#include "testing.h"

#include <stdio.h>

#include "decision_log/open_exchanges.h"

/* Ids that differ at their end alone, as many do that were made in the same millisecond. */
static struct span make_id(char room[EXCHANGE_ID + 1], unsigned n)
{
    (void)snprintf(room, EXCHANGE_ID + 1, "01900000-0000-7000-8000-%012x", n);
    return span_of(room, EXCHANGE_ID);
}

static void add(struct open_exchanges *t, unsigned n)
{
    char room[EXCHANGE_ID + 1];
    assert_true(open_exchanges_add(t, make_id(room, n), (off_t)n * 10, n));
}

static void take(struct open_exchanges *t, unsigned n)
{
    char room[EXCHANGE_ID + 1];
    open_exchanges_remove(t, make_id(room, n));
}

static void what_has_begun_and_not_ended_is_listed_in_order(void **state)
{
    struct open_exchanges t;
    struct error err;
    size_t n = 0;
    (void)state;
    assert_true(open_exchanges_init(&t, &err));
    for (unsigned i = 1; i <= 1000; i++) {
        add(&t, i);
    }
    for (unsigned i = 1; i <= 1000; i++) {
        if (i % 100 != 0) {
            take(&t, i);
        }
    }
    take(&t, 5000); /* never began */
    add(&t, 2000);  /* where another one was */
    add(&t, 1500);
    const struct open_exchange *list = open_exchanges_list(&t, &n);
    assert_int_equal(n, 12);
    for (size_t i = 0; i < n; i++) {
        off_t place = i < 10 ? (off_t)(i + 1) * 1000 : i == 10 ? 15000 : 20000;
        assert_int_equal(list[i].at, place);
        assert_int_equal(list[i].len, place / 10);
    }
    open_exchanges_deinit(&t);
}

static void of_two_with_one_id_the_first_stays(void **state)
{
    struct open_exchanges t;
    struct error err;
    char room[EXCHANGE_ID + 1];
    size_t n = 0;
    (void)state;
    assert_true(open_exchanges_init(&t, &err));
    add(&t, 7);
    assert_true(open_exchanges_add(&t, make_id(room, 7), 99, 1));
    const struct open_exchange *list = open_exchanges_list(&t, &n);
    assert_int_equal(n, 1);
    assert_int_equal(list[0].at, 70);
    open_exchanges_deinit(&t);
}

static void an_empty_one_lists_nothing(void **state)
{
    struct open_exchanges t;
    struct error err;
    size_t n = 1;
    (void)state;
    assert_true(open_exchanges_init(&t, &err));
    (void)open_exchanges_list(&t, &n);
    assert_int_equal(n, 0);
    open_exchanges_deinit(&t);
}

static void past_the_bound_none_is_added_until_one_ends(void **state)
{
    struct open_exchanges t;
    struct error err;
    char room[EXCHANGE_ID + 1];
    size_t n = 0;
    (void)state;
    assert_true(open_exchanges_init(&t, &err));
    for (unsigned i = 0; i < OPEN_EXCHANGES_MAX; i++) {
        add(&t, i);
    }
    assert_false(open_exchanges_add(&t, make_id(room, OPEN_EXCHANGES_MAX), 1, 1));
    take(&t, 5);
    add(&t, OPEN_EXCHANGES_MAX);
    (void)open_exchanges_list(&t, &n);
    assert_int_equal(n, OPEN_EXCHANGES_MAX);
    open_exchanges_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_begun_and_not_ended_is_listed_in_order),
        cmocka_unit_test(of_two_with_one_id_the_first_stays),
        cmocka_unit_test(an_empty_one_lists_nothing),
        cmocka_unit_test(past_the_bound_none_is_added_until_one_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
