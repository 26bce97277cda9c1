/* What may be done with an item, by whom, and what it becomes. */
#include "testing.h"

#include <stdio.h>

#include "review/item.h"
#include "support/random.h"

enum { T0 = 1000000 };

static struct item an_item(unsigned reviewers)
{
    return (struct item){.seq = 7, .version = 1, .reviewers = reviewers};
}

static struct item_event event(enum item_verb verb, const char *by, int64_t ts_ms)
{
    static uint64_t line = 100;

    return (struct item_event){.verb = verb, .line = ++line, .ts_ms = ts_ms, .by = span_str(by), .until_ms = ts_ms + ITEM_LEASE_MS,
                               .disposition = ITEM_TRUE_POSITIVE};
}

static void take(struct item *item, const struct item_event *e)
{
    struct error err;

    if (!item_step(item, e, item, &err)) {
        fail_msg("%s: %s", item_verb_name(e->verb), err.text);
    }
}

static void refused(const struct item *item, const struct item_event *e, enum error_kind kind)
{
    struct item after = *item;
    struct error err;

    assert_false(item_step(item, e, &after, &err));
    assert_int_equal(err.kind, kind);
    assert_memory_equal(item, &after, sizeof(after));
}

static void an_item_is_one_persons_at_a_time(void **state)
{
    struct item item = an_item(1);
    struct item_event by_anna = event(ITEM_CLAIM, "anna", T0), by_ben = event(ITEM_CLAIM, "ben", T0 + 1);

    (void)state;
    take(&item, &by_anna);
    assert_int_equal(item.state, ITEM_CLAIMED);
    for (unsigned verb = ITEM_CLAIM; verb <= ITEM_DISPOSE; verb++) {
        by_ben = event((enum item_verb)verb, "ben", T0 + 1);
        refused(&item, &by_ben, ERROR_INVALID);
    }
    by_ben = event(ITEM_SNOOZE, "ben", T0 + 1);
    refused(&item, &by_ben, ERROR_INVALID);
    by_ben = event(ITEM_DISPOSE, "ben", T0 + ITEM_LEASE_MS); /* the lease has ended */
    take(&item, &by_ben);
    assert_int_equal(item.state, ITEM_CLOSED);
    assert_int_equal(item.disposition, ITEM_TRUE_POSITIVE);
    by_anna = event(ITEM_CLAIM, "anna", T0 + ITEM_LEASE_MS);
    refused(&item, &by_anna, ERROR_INVALID);
}

static void a_stale_version_is_refused(void **state)
{
    struct item item = an_item(1);
    struct item_event claim = event(ITEM_CLAIM, "anna", T0), dispose = event(ITEM_DISPOSE, "anna", T0);

    (void)state;
    claim.version = 1;
    take(&item, &claim);
    dispose.version = 1;
    refused(&item, &dispose, ERROR_DENIED);
    dispose.version = item.version;
    take(&item, &dispose);
}

static void a_note_changes_nothing(void **state)
{
    struct item item = an_item(1), before = item;
    struct item_event note = event(ITEM_NOTE, "anna", T0);

    (void)state;
    take(&item, &note);
    assert_memory_equal(&item, &before, sizeof(item));
}

/* Undo of every disposition is the item before, but for its version. */
static void undo_restores_what_was(void **state)
{
    (void)state;
    for (unsigned reviewers = 1; reviewers <= ITEM_REVIEWERS_MAX; reviewers++) {
        for (unsigned is_claimed = 0; is_claimed < 2; is_claimed++) {
            struct item item = an_item(reviewers), before;
            struct item_event claim = event(ITEM_CLAIM, "anna", T0), dispose = event(ITEM_DISPOSE, "anna", T0);
            struct item_event undo = event(ITEM_UNDO, "anna", T0 + 1), others = event(ITEM_UNDO, "ben", T0 + 1);
            if (is_claimed != 0 && reviewers == 1) {
                take(&item, &claim);
            }
            before = item;
            take(&item, &dispose);
            others.undo_of = undo.undo_of = dispose.line;
            refused(&item, &others, ERROR_INVALID);
            take(&item, &undo);
            assert_int_equal(item.state, before.state);
            assert_int_equal(item.n_opinions, before.n_opinions);
            assert_string_equal(item.assignee, before.assignee);
            refused(&item, &undo, ERROR_INVALID); /* once */
        }
    }
}

static void two_people_have_to_agree(void **state)
{
    struct item item = an_item(2);
    struct item_event anna = event(ITEM_DISPOSE, "anna", T0), ben = event(ITEM_DISPOSE, "ben", T0), cleo = event(ITEM_DISPOSE, "cleo", T0);

    (void)state;
    ben.disposition = ITEM_BENIGN;
    take(&item, &anna);
    assert_int_equal(item.state, ITEM_NEW);
    refused(&item, &anna, ERROR_INVALID); /* nobody twice */
    take(&item, &ben);
    assert_int_equal(item.state, ITEM_NEW);
    take(&item, &cleo);
    assert_int_equal(item.state, ITEM_CLOSED);
    assert_int_equal(item.disposition, ITEM_TRUE_POSITIVE);
}

static void nobody_is_given_what_they_have_disposed_of(void **state)
{
    struct item item = an_item(2);
    struct item_event anna = event(ITEM_DISPOSE, "anna", T0), back = event(ITEM_ASSIGN, "ben", T0);

    (void)state;
    take(&item, &anna);
    back.assignee = span_str("anna");
    refused(&item, &back, ERROR_INVALID);
    back.assignee = span_str("cleo");
    take(&item, &back);
    assert_true(item_is_held(&item, INT64_MAX)); /* without an end */
}

static void an_incomplete_step_is_refused(void **state)
{
    struct item item = an_item(1);
    struct item_event dispose = event(ITEM_DISPOSE, "anna", T0), nobody = event(ITEM_CLAIM, "", T0), none = event(ITEM_NO_VERB, "anna", T0);

    (void)state;
    dispose.disposition = ITEM_UNDISPOSED;
    refused(&item, &dispose, ERROR_MALFORMED);
    refused(&item, &nobody, ERROR_MALFORMED);
    refused(&item, &none, ERROR_MALFORMED);
}

/* Whatever people do: a closed item without a snooze has as many equal opinions as it needs, no person has two, and the
 * version grows. */
static void random_steps_keep_what_must_hold(void **state)
{
    static const char *const people[] = {"anna", "ben", "cleo", "dora", "emil", "fay", "gus"};
    struct random chance = {7};
    struct error err;

    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        struct item item = an_item(1 + (unsigned)random_below(&chance, ITEM_REVIEWERS_MAX));
        for (unsigned i = 0; i < 30; i++) {
            struct item_event e = event((enum item_verb)random_below(&chance, ITEM_VERBS), people[random_below(&chance, COUNT(people))],
                                        (int64_t)(T0 + i * 60000));
            e.disposition = (enum item_disposition)random_below(&chance, ITEM_DISPOSITIONS);
            e.assignee = span_str(people[random_below(&chance, COUNT(people))]);
            e.undo_of = item.last;
            uint64_t version = item.version;
            if (!item_step(&item, &e, &item, &err)) {
                continue;
            }
            assert_int_equal(item.version, version + (e.verb != ITEM_NOTE));
            assert_true(item.n_opinions <= ITEM_OPINIONS_MAX);
            unsigned same = 0;
            for (unsigned k = 0; k < item.n_opinions; k++) {
                same += item.opinions[k].disposition == item.disposition;
                for (unsigned l = 0; l < k; l++) {
                    assert_string_not_equal(item.opinions[k].by, item.opinions[l].by);
                }
            }
            if (item.state == ITEM_CLOSED && item.last_verb == ITEM_DISPOSE) {
                assert_true(same >= item.reviewers);
            }
            assert_true(item_is_open(&item) == (item.state != ITEM_CLOSED));
        }
    }
}

static void names_are_words_of_the_record(void **state)
{
    (void)state;
    for (unsigned i = 1; i < ITEM_VERBS; i++) {
        assert_int_equal(item_verb_of(span_str(item_verb_name(i))), i);
    }
    for (unsigned i = 1; i < ITEM_DISPOSITIONS; i++) {
        assert_int_equal(item_disposition_of(span_str(item_disposition_name(i))), i);
    }
    for (unsigned i = 0; i < ITEM_STATES; i++) {
        assert_int_equal(item_state_of(span_str(item_state_name(i))), i);
    }
    assert_int_equal(item_verb_of(span_str("")), ITEM_NO_VERB);
    assert_int_equal(item_state_of(span_str("open")), ITEM_STATES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_is_one_persons_at_a_time),
        cmocka_unit_test(a_stale_version_is_refused),
        cmocka_unit_test(a_note_changes_nothing),
        cmocka_unit_test(undo_restores_what_was),
        cmocka_unit_test(two_people_have_to_agree),
        cmocka_unit_test(nobody_is_given_what_they_have_disposed_of),
        cmocka_unit_test(an_incomplete_step_is_refused),
        cmocka_unit_test(random_steps_keep_what_must_hold),
        cmocka_unit_test(names_are_words_of_the_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
