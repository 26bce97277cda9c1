#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "budget/budgets.h"

enum { MIB = 1024 * 1024 };

static const uint8_t secret[BUDGET_SECRET] = "a key that only tests have";
static struct budgets *b;

static int set_up(void **state)
{
    struct error err;

    (void)state;
    b = budgets_new(8 * MIB, secret, &err);
    return b == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    budgets_free(b);
    return 0;
}

static struct budget_account_key key_of(unsigned subject)
{
    char text[32];
    struct budget_account_key key;

    (void)snprintf(text, sizeof(text), "subject %u", subject);
    const struct span part = span_str(text);
    budgets_key(b, &part, 1, &key);
    return key;
}

static uint64_t value_of(unsigned value)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "value %u", value);
    return budgets_hash(b, span_str(text));
}

/* Charges the value, and discloses it if it may be. */
static enum budget_verdict disclose(unsigned subject, unsigned value, const struct budget_terms *terms, uint32_t now_s)
{
    const struct budget_account_key key = key_of(subject);
    struct budget_hold hold;
    enum budget_verdict verdict = budgets_reserve(b, &key, terms, value_of(value), now_s, &hold);

    budgets_commit(b, &key, value_of(value), now_s, &hold);
    return verdict;
}

static struct budget_level level_of(unsigned subject, const struct budget_terms *terms, uint32_t now_s)
{
    const struct budget_account_key key = key_of(subject);
    struct budget_level level;

    budgets_look(b, &key, terms, now_s, &level);
    return level;
}

static void so_many_different_values_are_within_and_no_more(void **state)
{
    const struct budget_terms terms = {.values = 5, .window_s = 3600};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(disclose(1, i, &terms, 1000), BUDGET_WITHIN);
    }
    assert_int_equal(disclose(1, 5, &terms, 1000), BUDGET_OVER);
    assert_int_equal(disclose(1, 3, &terms, 1000), BUDGET_WITHIN); /* it was disclosed before */
    assert_int_equal(level_of(1, &terms, 1000).values, 5);
    assert_int_equal(disclose(2, 5, &terms, 1000), BUDGET_WITHIN); /* of another subject */
}

static void a_value_leaves_when_the_window_has_passed_since_its_last_disclosure(void **state)
{
    const struct budget_terms terms = {.values = 2, .window_s = 100};

    (void)state;
    assert_int_equal(disclose(1, 1, &terms, 1000), BUDGET_WITHIN);
    assert_int_equal(disclose(1, 2, &terms, 1010), BUDGET_WITHIN);
    assert_int_equal(disclose(1, 1, &terms, 1050), BUDGET_WITHIN); /* stays longer */
    assert_int_equal(disclose(1, 3, &terms, 1109), BUDGET_OVER);
    assert_int_equal(disclose(1, 3, &terms, 1110), BUDGET_WITHIN); /* in place of 2 */
    assert_int_equal(disclose(1, 4, &terms, 1149), BUDGET_OVER);
    assert_int_equal(disclose(1, 4, &terms, 1150), BUDGET_WITHIN);
}

static void what_is_cancelled_was_not_disclosed(void **state)
{
    const struct budget_terms terms = {.values = 1, .window_s = 100};
    const struct budget_account_key key = key_of(1);
    struct budget_hold first, second, other;

    (void)state;
    assert_int_equal(budgets_reserve(b, &key, &terms, 7, 10, &first), BUDGET_WITHIN);
    assert_int_equal(budgets_reserve(b, &key, &terms, 8, 10, &other), BUDGET_OVER); /* the other may disclose its value yet */
    assert_int_equal(budgets_reserve(b, &key, &terms, 7, 10, &second), BUDGET_WITHIN);
    budgets_cancel(b, &key, 7, &first);
    assert_int_equal(budgets_reserve(b, &key, &terms, 8, 10, &other), BUDGET_OVER); /* the second exchange holds it */
    budgets_cancel(b, &key, 7, &second);
    assert_int_equal(level_of(1, &terms, 10).values, 0);
    assert_int_equal(budgets_reserve(b, &key, &terms, 8, 10, &other), BUDGET_WITHIN);
    budgets_cancel(b, &key, 8, &other);
}

static void an_observed_budget_counts_what_exceeds_it(void **state)
{
    const struct budget_terms terms = {.values = 2, .window_s = 100, .is_observed = true};

    (void)state;
    assert_int_equal(disclose(1, 1, &terms, 1000), BUDGET_WITHIN);
    assert_int_equal(disclose(1, 2, &terms, 1010), BUDGET_WITHIN);
    assert_int_equal(level_of(1, &terms, 1010).wait_s, 0);
    assert_int_equal(disclose(1, 3, &terms, 1020), BUDGET_OVER);
    assert_int_equal(disclose(1, 4, &terms, 1030), BUDGET_OVER);
    assert_int_equal(level_of(1, &terms, 1030).values, 4);
    assert_int_equal(level_of(1, &terms, 1030).wait_s, 80); /* the second leaves at 1110 */
    assert_int_equal(level_of(1, &terms, 1110).wait_s, 0);
}

static void the_count_is_exact_to_the_bound_then_estimated_and_says_so(void **state)
{
    const struct budget_terms terms = {.values = 20000, .window_s = 800};

    (void)state;
    for (unsigned i = 0; i < BUDGET_EXACT; i++) {
        assert_int_equal(disclose(1, i, &terms, 1000), BUDGET_WITHIN);
    }
    assert_int_equal(level_of(1, &terms, 1000).values, BUDGET_EXACT);
    assert_false(level_of(1, &terms, 1000).is_estimated);
    unsigned within = BUDGET_EXACT;
    while (within < 40000 && disclose(1, within, &terms, 1000 + within / 100) == BUDGET_WITHIN) {
        within++;
    }
    assert_true(level_of(1, &terms, 1200).is_estimated);
    assert_in_range(within, 20000 * 0.885, 20000 * 1.115); /* five standard errors */
    assert_true(level_of(1, &terms, 1200 + 800 + 101).values == 0);
}

static void no_estimated_value_leaves_before_the_window_has_passed(void **state)
{
    const struct budget_terms terms = {.values = 100000, .window_s = 801};

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        (void)disclose(1, i, &terms, 5000);
    }
    uint64_t values = level_of(1, &terms, 5000).values;
    assert_int_equal(level_of(1, &terms, 5800).values, values);
    assert_int_equal(level_of(1, &terms, 5801 + 102).values, 0);
}

/* --- many ------------------------------------------------------------------------- */

static size_t resident(void)
{
    unsigned long all = 0, kept = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &all, &kept), 2);
    (void)fclose(f);
    return kept * (size_t)sysconf(_SC_PAGESIZE);
}

static void a_million_users_take_no_more_than_the_memory_that_was_set(void **state)
{
    const struct budget_terms terms = {.values = 50, .window_s = 3600};
    struct budget_counts counts;
    unsigned over = 0;

    (void)state;
    size_t before = resident();
    for (unsigned i = 0; i < 1000000; i++) {
        struct budget_terms one = terms;
        one.caller = i;
        over += disclose(i, 1, &one, 1000) == BUDGET_OVER;
    }
    budgets_count(b, &counts);
    assert_true(counts.bytes <= 8 * MIB);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they take more */
    assert_true(resident() - before <= 10 * MIB); /* the allocator's own */
#endif
    assert_int_equal(counts.refused, over); /* what found no room is over */
    assert_int_equal(counts.accounts + over, 1000000);
    assert_int_equal(disclose(0, 1, &terms, 1000), BUDGET_WITHIN); /* the first has its account still */
    assert_int_equal(disclose(2000000, 1, &terms, 4600), BUDGET_WITHIN); /* those whose values have left made room */
}

static void one_caller_cannot_take_all_of_the_memory(void **state)
{
    const struct budget_terms greedy = {.values = 50, .window_s = 3600, .caller = 1},
                              other = {.values = 50, .window_s = 3600, .caller = 2};
    unsigned within = 0;

    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        (void)disclose(i, 1, &greedy, 1000);
    }
    for (unsigned i = 0; i < 1000; i++) {
        within += disclose(200000 + i, 1, &other, 1000) == BUDGET_WITHIN;
    }
    assert_int_equal(within, 1000);
}

static void an_account_that_cannot_be_stored_counts_nothing_new(void **state)
{
    const struct budget_terms terms = {.values = 50, .window_s = 3600};

    (void)state;
    assert_int_equal(disclose(1, 1, &terms, 1000), BUDGET_WITHIN);
    budgets_set_stored(b, false);
    assert_int_equal(disclose(1, 1, &terms, 1000), BUDGET_WITHIN);
    assert_int_equal(disclose(1, 2, &terms, 1000), BUDGET_OVER);
    budgets_set_stored(b, true);
    assert_int_equal(disclose(1, 2, &terms, 1000), BUDGET_WITHIN);
}

/* --- at once ---------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 2000 };

static atomic_uint disclosed;

static void *disclose_many(void *context)
{
    const struct budget_terms terms = {.values = 500, .window_s = 3600};
    unsigned first = *(unsigned *)context;
    const struct budget_account_key key = key_of(9);

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct budget_hold hold;
        uint64_t value = value_of(first + i % 250);
        if (budgets_reserve(b, &key, &terms, value, 1000, &hold) == BUDGET_WITHIN && i % 3 != 0) {
            (void)atomic_fetch_add(&disclosed, hold.is_new);
            budgets_commit(b, &key, value, 1000, &hold);
        } else {
            budgets_cancel(b, &key, value, &hold);
        }
    }
    return NULL;
}

/* Of 1,000 values of four exchanges 500 fit; each exchange gives some of what it has reserved back. */
static void exchanges_at_once_never_disclose_more_than_the_budget(void **state)
{
    const struct budget_terms terms = {.values = 500, .window_s = 3600};
    pthread_t threads[THREADS];
    unsigned firsts[THREADS];

    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        firsts[i] = 250 * i;
        assert_int_equal(pthread_create(&threads[i], NULL, disclose_many, &firsts[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    assert_int_equal(level_of(9, &terms, 1000).values, 500);
    assert_int_equal(disclose(9, 5000, &terms, 1000), BUDGET_OVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(so_many_different_values_are_within_and_no_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_leaves_when_the_window_has_passed_since_its_last_disclosure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_cancelled_was_not_disclosed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_observed_budget_counts_what_exceeds_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_count_is_exact_to_the_bound_then_estimated_and_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_estimated_value_leaves_before_the_window_has_passed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_million_users_take_no_more_than_the_memory_that_was_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_caller_cannot_take_all_of_the_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_account_that_cannot_be_stored_counts_nothing_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(exchanges_at_once_never_disclose_more_than_the_budget, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
