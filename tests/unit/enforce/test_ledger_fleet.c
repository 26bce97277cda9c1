#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "enforce/ledger_store.h"

#define SECOND INT64_C(1000000000)

enum { NODES = 3 };

static const struct violations rules = {
    .is_on = true,
    .weights = {[VIOLATION_SECRET] = 25, [VIOLATION_PII] = 5},
    .half_life_ns = 600 * SECOND,
    .thresholds = {{20, REACTION_ALERT}, {40, REACTION_THROTTLE}, {100, REACTION_KILL}},
    .n_thresholds = 3,
    .throttle_ns = 10 * SECOND,
};
static const struct agent_key one = {{"acme", 4}, {"one", 3}};

static struct ledger *nodes[NODES], *alone;

static int set_up(void **state)
{
    struct error err;

    (void)state;
    for (size_t i = 0; i < NODES; i++) {
        nodes[i] = ledger_new(8, &err);
    }
    alone = ledger_new(8, &err);
    return alone == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < NODES; i++) {
        ledger_free(nodes[i]);
    }
    ledger_free(alone);
    return 0;
}

static unsigned add(struct ledger *l, enum violation kind, int64_t at)
{
    struct agent_account a;
    struct error err;
    unsigned due = 0;

    assert_true(ledger_add(l, &rules, &(struct ledger_event){.key = &one, .kinds = 1U << kind, .now_ns = at}, &a, &due, &err));
    return due;
}

static double score_of(struct ledger *l, int64_t at)
{
    struct agent_account a;

    return ledger_look(l, &rules, &one, at, &a) ? a.score : 0;
}

/* As the database has it: the node's part, as of its own time, at another one. */
static double part_at(struct ledger *l, int64_t at)
{
    struct agent_account a;

    ledger_give_all(l, LEDGER_FLEET);
    return ledger_take_changed(l, LEDGER_FLEET, &a) ? a.score * pow(0.5, (double)(at - a.last_ns) / (double)rules.half_life_ns) : 0;
}

static void the_sum_of_the_parts_is_what_one_node_counts(void **state)
{
    struct agent_account a;
    unsigned due = 0;
    int64_t at = SECOND;

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        enum violation kind = i % 7 == 0 ? VIOLATION_SECRET : VIOLATION_PII;
        at += (int64_t)(i * 7919U % 31U) * SECOND + 123456789;
        (void)add(nodes[i * 31U % NODES], kind, at);
        (void)add(alone, kind, at);
    }
    at += 1000 * SECOND;
    double others = part_at(nodes[1], at) + part_at(nodes[2], at);
    assert_true(ledger_learn(nodes[0], &rules, &one, others, at, &a, &due));
    assert_true(fabs(a.score - score_of(alone, at)) < 1e-9);
    assert_true(fabs(score_of(nodes[0], at + 1000 * SECOND) - score_of(alone, at + 1000 * SECOND)) < 1e-9);
}

static void a_threshold_is_crossed_by_what_others_counted(void **state)
{
    struct agent_account a;
    unsigned due = 0;

    (void)state;
    assert_false(ledger_learn(nodes[0], &rules, &one, 100, SECOND, &a, &due)); /* nothing is known of it here */
    assert_int_equal(add(nodes[0], VIOLATION_PII, SECOND), 0);
    assert_true(ledger_learn(nodes[0], &rules, &one, 10, SECOND, &a, &due));
    assert_int_equal(due, 0);
    assert_true(ledger_learn(nodes[0], &rules, &one, 15, SECOND, &a, &due));
    assert_int_equal(due, REACTION_ALERT);
    assert_true(ledger_learn(nodes[0], &rules, &one, 16, SECOND, &a, &due));
    assert_int_equal(due, 0);
    assert_int_equal(add(nodes[0], VIOLATION_SECRET, SECOND), REACTION_THROTTLE);
    assert_true(ledger_learn(nodes[0], &rules, &one, 70, SECOND, &a, &due));
    assert_int_equal(due, REACTION_KILL);
    assert_int_equal(a.state, AGENT_KILLED);
}

static void what_others_counted_is_not_this_nodes_part(void **state)
{
    struct agent_account a;
    unsigned due;

    (void)state;
    (void)add(nodes[0], VIOLATION_PII, SECOND);
    assert_true(ledger_learn(nodes[0], &rules, &one, 30, SECOND, &a, &due));
    for (unsigned reader = 0; reader < LEDGER_READERS; reader++) {
        assert_true(ledger_take_changed(nodes[0], (enum ledger_reader)reader, &a));
        assert_true(a.score == 5 && a.last_ns == SECOND);
    }
}

static void each_reader_takes_a_change_once(void **state)
{
    struct agent_account a;

    (void)state;
    (void)add(nodes[0], VIOLATION_PII, SECOND);
    assert_true(ledger_take_changed(nodes[0], LEDGER_STORE, &a));
    assert_false(ledger_take_changed(nodes[0], LEDGER_STORE, &a));
    assert_true(ledger_take_changed(nodes[0], LEDGER_FLEET, &a));
    ledger_give_back(nodes[0], LEDGER_FLEET, a.slot);
    assert_false(ledger_take_changed(nodes[0], LEDGER_STORE, &a));
    assert_true(ledger_take_changed(nodes[0], LEDGER_FLEET, &a));
}

static void accounts_know_the_order_that_they_are_behind(void **state)
{
    struct agent_account a;
    char path[64];
    struct error err;

    (void)state;
    (void)snprintf(path, sizeof(path), "/tmp/filterd-ledger-fleet-%d.db", (int)getpid());
    ledger_set_order(nodes[0], 5);
    ledger_set_order(nodes[0], 4);
    struct ledger_store *store = ledger_store_open(path, nodes[0], &err);
    assert_non_null(store);
    (void)add(nodes[0], VIOLATION_PII, SECOND);
    assert_true(ledger_look(nodes[0], &rules, &one, SECOND, &a) && a.order == 5);
    ledger_confirm(nodes[0], &one, 9);
    ledger_confirm(nodes[0], &one, 8);
    assert_true(ledger_store_start(store, &err));
    ledger_store_wake(store);
    ledger_store_close(store);
    store = ledger_store_open(path, nodes[1], &err);
    assert_true(ledger_look(nodes[1], &rules, &one, SECOND, &a));
    assert_true(a.order == 9 && a.counts[VIOLATION_PII] == 1);
    assert_true(ledger_order(nodes[1]) == 9);
    ledger_store_close(store);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_sum_of_the_parts_is_what_one_node_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_threshold_is_crossed_by_what_others_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_others_counted_is_not_this_nodes_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_reader_takes_a_change_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(accounts_know_the_order_that_they_are_behind, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
