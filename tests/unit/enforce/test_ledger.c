#include "testing.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "enforce/ledger.h"

#define SECOND INT64_C(1000000000)

static const struct violations rules = {
    .is_on = true,
    .weights = {[VIOLATION_SECRET] = 25, [VIOLATION_PII] = 5, [VIOLATION_BLOCK] = 10},
    .half_life_ns = 600 * SECOND,
    .thresholds = {{20, REACTION_ALERT}, {40, REACTION_THROTTLE}, {60, REACTION_ASK}, {100, REACTION_KILL}},
    .n_thresholds = 4,
    .throttle_ns = 10 * SECOND,
    .ask_ns = 300 * SECOND,
};

static const struct agent_key one = {{"acme", 4}, {"one", 3}}, same_of_other = {{"bank", 4}, {"one", 3}};

static struct ledger *l;

static int set_up(void **state)
{
    struct error err;

    (void)state;
    l = ledger_new(8, &err);
    return l == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    ledger_free(l);
    return 0;
}

static struct agent_account add(const struct agent_key *key, enum violation kind, int64_t at, unsigned *due)
{
    struct agent_account a;
    struct error err;

    assert_true(ledger_add(l, &rules, &(struct ledger_event){.key = key, .kinds = 1U << kind, .now_ns = at}, &a, due, &err));
    return a;
}

static void a_score_halves_with_each_half_life(void **state)
{
    struct agent_account a;
    unsigned due;

    (void)state;
    (void)add(&one, VIOLATION_SECRET, 0, &due);
    assert_true(ledger_look(l, &rules, &one, 600 * SECOND, &a));
    assert_true(fabs(a.score - 12.5) < 1e-9);
    assert_true(ledger_look(l, &rules, &one, 1800 * SECOND, &a));
    assert_true(fabs(a.score - 3.125) < 1e-9);
    a = add(&one, VIOLATION_PII, 600 * SECOND, &due);
    assert_true(fabs(a.score - 17.5) < 1e-9);
}

static void a_threshold_is_reached_as_the_score_is_shown(void **state)
{
    unsigned due;

    (void)state;
    for (int i = 0; i < 3; i++) {
        (void)add(&one, VIOLATION_SECRET, i * 1000000, &due);
    }
    struct agent_account a = add(&one, VIOLATION_SECRET, 3 * 1000000, &due); /* a little less than 100 */
    assert_true(a.score < 100);
    assert_int_equal(due, REACTION_KILL);
}

static void a_clock_set_back_stands_still(void **state)
{
    struct agent_account a;
    unsigned due;

    (void)state;
    (void)add(&one, VIOLATION_SECRET, 1000 * SECOND, &due);
    a = add(&one, VIOLATION_SECRET, 400 * SECOND, &due);
    assert_true(a.score == 50);
    assert_true(ledger_look(l, &rules, &one, 1000 * SECOND, &a));
    assert_true(a.score == 50);
}

static void a_threshold_is_reported_once_and_again_after_it_was_forgotten(void **state)
{
    unsigned due;

    (void)state;
    (void)add(&one, VIOLATION_SECRET, 0, &due);
    assert_int_equal(due, REACTION_ALERT);
    (void)add(&one, VIOLATION_PII, 0, &due);
    assert_int_equal(due, 0);
    (void)add(&one, VIOLATION_SECRET, 6000 * SECOND, &due);
    assert_int_equal(due, REACTION_ALERT);
}

static void states_follow_the_score_and_the_strict_ones_stay(void **state)
{
    struct agent_account a;
    unsigned due;

    (void)state;
    (void)add(&one, VIOLATION_SECRET, 0, &due);
    a = add(&one, VIOLATION_SECRET, 0, &due);
    assert_int_equal(a.state, AGENT_THROTTLED);
    assert_true(ledger_look(l, &rules, &one, 600 * SECOND, &a));
    assert_int_equal(a.state, AGENT_ACTIVE);
    for (int i = 0; i < 2; i++) {
        a = add(&one, VIOLATION_SECRET, 0, &due);
    }
    assert_int_equal(due, REACTION_KILL);
    assert_int_equal(a.state, AGENT_KILLED);
    assert_true(ledger_look(l, &rules, &one, 86400 * SECOND, &a));
    assert_int_equal(a.state, AGENT_KILLED);
    assert_true(agent_state_is_stopped(a.state));
    assert_true(ledger_revive(l, &one, 86400 * SECOND, &a));
    assert_false(ledger_look(l, &rules, &one, 86400 * SECOND, &a));
    assert_int_equal(a.state, AGENT_ACTIVE);
    assert_false(ledger_revive(l, &one, 86400 * SECOND, &a));
}

static void tenants_do_not_share_an_agent(void **state)
{
    struct agent_account a;
    unsigned due;

    (void)state;
    (void)add(&one, VIOLATION_SECRET, 0, &due);
    assert_false(ledger_look(l, &rules, &same_of_other, 0, &a));
    assert_true(a.score == 0);
}

static void a_throttled_agent_is_let_through_once_in_each_interval(void **state)
{
    struct agent_account a;
    int64_t wait;
    unsigned due;

    (void)state;
    assert_true(ledger_admit(l, &rules, &one, 0, &a, &wait));
    (void)add(&one, VIOLATION_SECRET, 0, &due);
    (void)add(&one, VIOLATION_SECRET, 0, &due);
    assert_true(ledger_admit(l, &rules, &one, 100 * SECOND, &a, &wait));
    assert_false(ledger_admit(l, &rules, &one, 104 * SECOND, &a, &wait));
    assert_int_equal(wait, 6 * SECOND);
    assert_true(ledger_admit(l, &rules, &one, 110 * SECOND, &a, &wait));
}

static void a_question_that_nobody_answers_comes_up_in_time(void **state)
{
    struct agent_account a;
    unsigned due;

    (void)state;
    for (int i = 0; i < 3; i++) {
        a = add(&one, VIOLATION_SECRET, 0, &due);
    }
    assert_true(due == REACTION_ASK && a.state == AGENT_FROZEN);
    assert_false(ledger_next_unanswered(l, &rules, 299 * SECOND, &a));
    assert_true(ledger_resume(l, &one, 100 * SECOND, &a));
    assert_false(agent_state_is_stopped(a.state));
    assert_false(ledger_next_unanswered(l, &rules, 301 * SECOND, &a));
    (void)add(&one, VIOLATION_SECRET, 9000 * SECOND, &due);
    (void)add(&one, VIOLATION_SECRET, 9000 * SECOND, &due);
    (void)add(&one, VIOLATION_SECRET, 9000 * SECOND, &due);
    assert_true(ledger_next_unanswered(l, &rules, 9300 * SECOND, &a));
    assert_string_equal(a.agent, "one");
    assert_false(ledger_next_unanswered(l, &rules, 9300 * SECOND, &a));
}

static struct agent_key numbered(char text[8], int i)
{
    (void)snprintf(text, 8, "a%d", i);
    return (struct agent_key){{"acme", 4}, span_str(text)};
}

static void a_full_table_refuses_until_one_is_forgotten(void **state)
{
    struct agent_account a;
    struct error err = {0};
    char text[8];
    unsigned due;

    (void)state;
    for (int i = 0; i < 8; i++) {
        struct agent_key key = numbered(text, i);
        (void)add(&key, VIOLATION_SECRET, 0, &due);
        (void)add(&key, VIOLATION_SECRET, 0, &due); /* throttled: not given up */
    }
    assert_false(ledger_has_room(l, &rules, &(struct ledger_event){.key = &one, .now_ns = 0}));
    assert_false(ledger_add(l, &rules, &(struct ledger_event){.key = &one, .kinds = 1, .now_ns = 0}, &a, &due, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_int_equal(ledger_overflows(l), 1);
    struct agent_key kept = numbered(text, 3);
    assert_true(ledger_has_room(l, &rules, &(struct ledger_event){.key = &kept, .now_ns = 0}));
    assert_true(ledger_stand(l, &kept, REACTION_REVOKE, 0, &a, &err));
    (void)add(&one, VIOLATION_PII, 9600 * SECOND, &due); /* 16 half-lives: 0.0008 */
    assert_int_equal(ledger_count(l), 8);
    for (int i = 20; i < 26; i++) {
        char other[8];
        struct agent_key key = numbered(other, i);
        (void)add(&key, VIOLATION_PII, 9600 * SECOND, &due);
    }
    assert_int_equal(ledger_displaced(l), 0);
    assert_true(ledger_look(l, &rules, &kept, 9600 * SECOND, &a));
    assert_int_equal(a.state, AGENT_REVOKED);
}

/* --- names that somebody makes up ------------------------------------------ */

enum { MANY = 1000, CAP = MANY - MANY / 4 };

static int set_up_many(void **state)
{
    struct error err;

    (void)state;
    l = ledger_new(MANY, &err);
    return l == NULL;
}

static struct agent_key made_up(char text[16], unsigned caller, int i)
{
    (void)snprintf(text, 16, "c%u-%d", caller, i);
    return (struct agent_key){{"acme", 4}, span_str(text)};
}

/* So many violations each of n made-up names; how many could be counted. */
static int flood(unsigned caller, int n, int each)
{
    struct agent_account a;
    struct error err;
    char text[16];
    unsigned due;
    int counted = 0;

    for (int i = 0; i < n * each; i++) {
        struct agent_key key = made_up(text, caller, i / each);
        const struct ledger_event event = {&key, 1U << VIOLATION_PII, SECOND, caller};
        counted += ledger_add(l, &rules, &event, &a, &due, &err);
    }
    return counted;
}

static bool has_room(unsigned caller, const struct agent_key *key)
{
    return ledger_has_room(l, &rules, &(struct ledger_event){.key = key, .now_ns = SECOND, .caller = caller});
}

/* The score after it. */
static double add_by(unsigned caller, const struct agent_key *key, enum violation kind)
{
    const struct ledger_event event = {key, 1U << kind, SECOND, caller};
    struct agent_account a;
    struct error err;
    unsigned due;

    assert_true(ledger_add(l, &rules, &event, &a, &due, &err));
    return a.score;
}

static double score_of(const struct agent_key *key)
{
    struct agent_account a;

    return ledger_look(l, &rules, key, SECOND, &a) ? a.score : -1;
}

static void made_up_names_take_nothing_from_other_callers(void **state)
{
    struct agent_key known[3], killed = {{"acme", 4}, {"killed", 6}}, late = {{"acme", 4}, {"late", 4}};
    char text[3][16];

    (void)state;
    for (int i = 0; i < 3; i++) {
        known[i] = made_up(text[i], 2, i);
        (void)add_by(2, &known[i], VIOLATION_PII);
    }
    for (int i = 0; i < 4; i++) {
        (void)add_by(2, &killed, VIOLATION_SECRET);
    }
    assert_int_equal(flood(1, 10 * MANY, 1), 10 * MANY); /* none is refused: they take each other's room */
    assert_int_equal(ledger_count(l), CAP + 4);
    for (int i = 0; i < 3; i++) {
        assert_true(score_of(&known[i]) == 5);
    }
    assert_true(score_of(&killed) == 100);
    assert_true(has_room(3, &late));
    assert_true(add_by(3, &late, VIOLATION_PII) == 5);
    assert_int_equal(ledger_overflows(l), 0);
}

static void of_one_caller_the_weakest_make_room(void **state)
{
    struct agent_key strong = {{"acme", 4}, {"strong", 6}}, killed = {{"acme", 4}, {"killed", 6}},
                     late = {{"acme", 4}, {"late", 4}};

    (void)state;
    (void)add_by(1, &strong, VIOLATION_SECRET);
    for (int i = 0; i < 4; i++) {
        (void)add_by(1, &killed, VIOLATION_SECRET);
    }
    assert_int_equal(flood(1, 10 * MANY, 1), 10 * MANY);
    assert_int_equal(ledger_count(l), CAP);
    assert_true(score_of(&strong) == 25);
    assert_true(score_of(&killed) == 100);
    assert_true(add_by(1, &late, VIOLATION_SECRET) == 25);
    assert_int_equal(flood(1, MANY, 1), MANY);
    assert_true(score_of(&late) == 25);
}

/* Eight of 5 are throttled: such an account is not given up, so its caller has no more room; the others have. */
static void what_is_throttled_is_kept_and_fills_its_callers_share_alone(void **state)
{
    struct agent_key late = {{"acme", 4}, {"late", 4}}, other = {{"acme", 4}, {"other", 5}};
    struct agent_account a;
    struct error err;
    unsigned due;

    (void)state;
    (void)flood(1, 2 * MANY, 8);
    assert_int_equal(ledger_count(l), CAP);
    assert_false(has_room(1, &late));
    const struct ledger_event event = {&late, 1U << VIOLATION_PII, SECOND, 1};
    assert_false(ledger_add(l, &rules, &event, &a, &due, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(has_room(2, &other));
    assert_true(add_by(2, &other, VIOLATION_PII) == 5);
}

static void of_a_full_table_the_caller_with_the_most_gives(void **state)
{
    struct agent_key late = {{"acme", 4}, {"late", 4}};
    char text[16];

    (void)state;
    assert_int_equal(flood(1, MANY / 2, 1), MANY / 2);
    assert_int_equal(flood(2, MANY / 4, 1), MANY / 4);
    assert_int_equal(flood(3, MANY / 4, 1), MANY / 4);
    assert_int_equal(ledger_count(l), MANY);
    assert_true(add_by(4, &late, VIOLATION_PII) == 5);
    assert_int_equal(ledger_count(l), MANY);
    assert_int_equal(ledger_displaced(l), 1);
    for (unsigned caller = 2; caller < 4; caller++) {
        for (int i = 0; i < MANY / 4; i++) {
            struct agent_key key = made_up(text, caller, i);
            assert_true(score_of(&key) == 5);
        }
    }
}

static void a_name_that_could_be_taken_for_another_is_refused(void **state)
{
    const struct agent_key bad = {{"acme", 4}, {"one\0x", 5}}, empty = {{"acme", 4}, {"", 0}};
    struct agent_account a;
    struct error err;
    unsigned due;

    (void)state;
    assert_false(ledger_add(l, &rules, &(struct ledger_event){.key = &bad, .kinds = 1, .now_ns = 0}, &a, &due, &err));
    assert_false(ledger_add(l, &rules, &(struct ledger_event){.key = &empty, .kinds = 1, .now_ns = 0}, &a, &due, &err));
    assert_int_equal(ledger_count(l), 0);
}

static void what_changed_is_given_to_the_store_until_it_is_stored(void **state)
{
    struct agent_account a, again;
    struct error err;
    unsigned due;

    (void)state;
    (void)add(&one, VIOLATION_SECRET, 5 * SECOND, &due);
    (void)add(&one, VIOLATION_PII, 6 * SECOND, &due);
    assert_true(ledger_take_changed(l, LEDGER_STORE, &a));
    assert_false(ledger_take_changed(l, LEDGER_STORE, &again));
    ledger_give_back(l, LEDGER_STORE, a.slot);
    assert_true(ledger_take_changed(l, LEDGER_STORE, &again));
    assert_true(again.is_used && again.last_ns == 6 * SECOND && again.counts[VIOLATION_PII] == 1);
    assert_true(ledger_revive(l, &one, 7 * SECOND, &a));
    assert_true(ledger_take_changed(l, LEDGER_STORE, &again));
    assert_false(again.is_used);
    struct ledger *other = ledger_new(4, &err);
    assert_non_null(other);
    assert_true(ledger_restore(other, &a, &err));
    assert_true(ledger_look(other, &rules, &one, 6 * SECOND, &again));
    assert_true(again.score == a.score && again.counts[VIOLATION_SECRET] == 1);
    ledger_free(other);
}

static void *add_many(void *context)
{
    char text[8];

    for (int i = 0; i < 2000; i++) {
        struct agent_account a;
        struct error err;
        int64_t wait;
        unsigned due;
        struct agent_key key = numbered(text, (i + *(int *)context) % 6);
        (void)!ledger_add(l, &rules, &(struct ledger_event){.key = &key, .kinds = 1U << VIOLATION_PII, .now_ns = i * SECOND}, &a, &due, &err);
        (void)ledger_admit(l, &rules, &key, i * SECOND, &a, &wait);
        (void)ledger_take_changed(l, LEDGER_STORE, &a);
    }
    return NULL;
}

static void threads_lose_no_event(void **state)
{
    pthread_t threads[4];
    int numbers[4] = {0, 1, 2, 3};
    uint64_t sum = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, &numbers[i]), 0);
    }
    for (size_t i = 0; i < COUNT(threads); i++) {
        (void)pthread_join(threads[i], NULL);
    }
    struct agent_account a;
    for (uint32_t i = 0; ledger_at(l, &rules, i, 0, &a); i = a.slot + 1) {
        sum += a.counts[VIOLATION_PII];
    }
    assert_int_equal(sum, 8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_score_halves_with_each_half_life, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_threshold_is_reached_as_the_score_is_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_clock_set_back_stands_still, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_threshold_is_reported_once_and_again_after_it_was_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(states_follow_the_score_and_the_strict_ones_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tenants_do_not_share_an_agent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_throttled_agent_is_let_through_once_in_each_interval, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_question_that_nobody_answers_comes_up_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_table_refuses_until_one_is_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(made_up_names_take_nothing_from_other_callers, set_up_many, tear_down),
        cmocka_unit_test_setup_teardown(of_one_caller_the_weakest_make_room, set_up_many, tear_down),
        cmocka_unit_test_setup_teardown(what_is_throttled_is_kept_and_fills_its_callers_share_alone, set_up_many, tear_down),
        cmocka_unit_test_setup_teardown(of_a_full_table_the_caller_with_the_most_gives, set_up_many, tear_down),
        cmocka_unit_test_setup_teardown(a_name_that_could_be_taken_for_another_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_changed_is_given_to_the_store_until_it_is_stored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_lose_no_event, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
