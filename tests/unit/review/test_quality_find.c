/* test_quality_find.c - what reviewers said of a rule, from the rows of review.db. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "review/quality_find.h"
#include "review/review_rows.h"

static char folder[40], path[64];
static struct index_store store;
static struct error err;
static int64_t seq;

static void must(bool is_done)
{
    if (!is_done) {
        fail_msg("%s", err.text);
    }
}

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/filterd-quality-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(path, sizeof(path), "%s/review.db", folder);
    seq = 0;
    return index_store_open(&store, &review_schema, path, &err) ? 0 : -1;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"", "-wal", "-shm", ".lock"};
    char name[96];

    (void)state;
    index_store_close(&store);
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", path, names[i]);
        (void)unlink(name);
    }
    return rmdir(folder);
}

struct said {
    const char *rule, *tenant, *digest;
    int64_t ts_ms;
    enum review_why why;
    enum item_disposition disposition;
    bool is_open;
};

/* As the fold does: the item comes, and is closed by a step. */
static void add(unsigned n, struct said s)
{
    struct review_rows rows;

    must(review_rows_open(&rows, store.db, &err));
    for (unsigned i = 0; i < n; i++) {
        struct review_item item = {.item = {.seq = (uint64_t)++seq, .state = ITEM_NEW, .reviewers = 1}, .ts_ms = s.ts_ms + i, .why = s.why};
        (void)snprintf(item.words[REVIEW_TENANT], sizeof(item.words[0]), "%s", s.tenant);
        (void)snprintf(item.words[REVIEW_RULE], sizeof(item.words[0]), "%s", s.rule);
        (void)snprintf(item.words[REVIEW_DIGEST], sizeof(item.words[0]), "%s", s.digest);
        must(review_item_insert(&rows, &item, &err));
        if (!s.is_open) {
            struct item closed = item.item;
            closed.state = ITEM_CLOSED;
            closed.disposition = s.disposition;
            must(review_item_update(&rows, &item, &closed, &err));
        }
    }
    review_rows_close(&rows);
}

/* The item that was closed last is open again. */
static void reopen_last(void)
{
    struct review_item item;
    struct review_rows rows;
    bool is_found;

    must(review_rows_open(&rows, store.db, &err));
    must(review_item_load(&rows, (uint64_t)seq, &item, &is_found, &err));
    struct item open = item.item;
    open.state = ITEM_NEW;
    open.disposition = ITEM_UNDISPOSED;
    must(review_item_update(&rows, &item, &open, &err));
    review_rows_close(&rows);
}

static struct quality found(const char *rule, const char *tenant, int64_t since_ms)
{
    struct review_reader *r = review_reader_open(path, &err);
    struct quality q;

    assert_non_null(r);
    if (!quality_find(r, span_str(rule), tenant == NULL ? span_of(NULL, 0) : span_str(tenant), since_ms, &q, &err)) {
        fail_msg("%s", err.text);
    }
    review_reader_close(r);
    return q;
}

static void dispositions_count_by_digest_the_newest_first(void **state)
{
    (void)state;
    add(3, (struct said){"r", "acme", "d1", 1000, REVIEW_ACTION, ITEM_TRUE_POSITIVE, false});
    add(2, (struct said){"r", "acme", "d2", 9000, REVIEW_ACTION, ITEM_FALSE_POSITIVE, false});
    add(1, (struct said){"r", "other", "d2", 9500, REVIEW_BAND, ITEM_BENIGN, false});
    add(5, (struct said){"q", "acme", "d2", 9000, REVIEW_ACTION, ITEM_TRUE_POSITIVE, false});
    add(7, (struct said){"r", "acme", "d2", 9000, REVIEW_ACTION, ITEM_UNDISPOSED, true});
    add(4, (struct said){"r", "acme", "d2", 9000, REVIEW_ACTION, ITEM_UNDISPOSED, false}); /* snoozed */
    struct quality q = found("r", NULL, 0);
    assert_int_equal(q.n_rows, 2);
    assert_string_equal(q.rows[0].digest, "d2");
    assert_int_equal(q.rows[0].n[ITEM_FALSE_POSITIVE], 2);
    assert_int_equal(q.rows[0].n[ITEM_BENIGN], 1);
    assert_int_equal(q.rows[1].n[ITEM_TRUE_POSITIVE], 3);
    assert_int_equal(q.all.n[ITEM_TRUE_POSITIVE] + q.all.n[ITEM_FALSE_POSITIVE] + q.all.n[ITEM_BENIGN], 6);
    assert_int_equal(found("r", "other", 0).all.n[ITEM_TRUE_POSITIVE], 0);
    assert_int_equal(found("r", "acme", 5000).all.n[ITEM_TRUE_POSITIVE], 0);
}

static void samples_are_counted_apart(void **state)
{
    (void)state;
    add(10, (struct said){"", "acme", "d", 1000, REVIEW_SAMPLE, ITEM_BENIGN, false});
    add(2, (struct said){"", "acme", "d", 1000, REVIEW_SAMPLE, ITEM_POLICY_GAP, false});
    add(1, (struct said){"r", "acme", "d", 1000, REVIEW_SAMPLE, ITEM_TRUE_POSITIVE, false});
    add(4, (struct said){"", "acme", "d", 1000, REVIEW_SAMPLE, ITEM_UNSURE, false});
    add(6, (struct said){"", "acme", "d", 1000, REVIEW_SAMPLE, ITEM_UNDISPOSED, true});
    struct quality q = found("r", "acme", 0);
    assert_int_equal(q.samples.n, 13);
    assert_int_equal(q.samples.missed, 3);
    assert_int_equal(q.all.n[ITEM_TRUE_POSITIVE], 0);
    assert_int_equal(found("r", "other", 0).samples.n, 0);
    assert_int_equal(found("r", "acme", 2000).samples.n, 0);
}

/* Those of one rule count neither as random ones nor for the rule's precision and suggestion. */
static void samples_of_rules_are_apart_from_both(void **state)
{
    static const int64_t since_ms[] = {0, 500}; /* from tallies, from items */
    const struct span rule = span_str("r");
    uint64_t counts[1][ITEM_DISPOSITIONS];

    (void)state;
    add(3, (struct said){"r", "acme", "d", 1000, REVIEW_RULE_SAMPLE, ITEM_BENIGN, false});
    add(2, (struct said){"r", "acme", "d", 1000, REVIEW_RULE_SAMPLE, ITEM_TRUE_POSITIVE, false});
    add(1, (struct said){"r", "acme", "d", 1000, REVIEW_RULE_SAMPLE, ITEM_POLICY_GAP, false});
    add(5, (struct said){"r", "acme", "d", 1000, REVIEW_RULE_SAMPLE, ITEM_UNSURE, false});
    add(4, (struct said){"q", "acme", "d", 1000, REVIEW_RULE_SAMPLE, ITEM_TRUE_POSITIVE, false});
    add(7, (struct said){"r", "acme", "d", 1000, REVIEW_ACTION, ITEM_FALSE_POSITIVE, false});
    for (size_t i = 0; i < COUNT(since_ms); i++) {
        struct quality q = found("r", "acme", since_ms[i]);
        assert_int_equal(q.rule_samples.n, 6);
        assert_int_equal(q.rule_samples.missed, 3);
        assert_int_equal(q.samples.n, 0);
        assert_int_equal(q.all.n[ITEM_TRUE_POSITIVE] + q.all.n[ITEM_POLICY_GAP] + q.all.n[ITEM_BENIGN], 0);
        assert_int_equal(q.all.n[ITEM_FALSE_POSITIVE], 7);
    }
    struct review_reader *r = review_reader_open(path, &err);
    must(r != NULL && quality_of_rules(r, &rule, 1, span_str("acme"), 0, counts, &err));
    review_reader_close(r);
    assert_int_equal(counts[0][ITEM_TRUE_POSITIVE], 0);
}

static void the_newest_digest_decides_once_there_is_enough_of_it(void **state)
{
    (void)state;
    add(40, (struct said){"r", "acme", "bad", 1000, REVIEW_ACTION, ITEM_FALSE_POSITIVE, false});
    struct quality q = found("r", NULL, 0);
    assert_true(quality_row_suggests_shadow(&q));
    add(10, (struct said){"r", "acme", "good", 5000, REVIEW_ACTION, ITEM_TRUE_POSITIVE, false});
    q = found("r", NULL, 0);
    assert_true(quality_row_suggests_shadow(&q)); /* of all, 10 among 50 */
    add(20, (struct said){"r", "acme", "good", 6000, REVIEW_ACTION, ITEM_TRUE_POSITIVE, false});
    q = found("r", NULL, 0);
    assert_false(quality_row_suggests_shadow(&q));
    q = found("none", NULL, 0);
    assert_false(quality_row_suggests_shadow(&q));
}

/* Each beginning of the window within five days, of three tenants' items: tallies and items say the same. */
static void any_beginning_counts_what_is_behind_it(void **state)
{
    static const char *const tenants[] = {"acme", "other", ""};
    const int64_t step = REVIEW_DAY_MS / 7;
    int64_t times[60];
    (void)state;

    for (unsigned i = 0; i < COUNT(times); i++) {
        times[i] = 20000 * (int64_t)REVIEW_DAY_MS + (int64_t)i * REVIEW_DAY_MS / 12;
        add(1, (struct said){"r", tenants[i % 3], i % 2 == 0 ? "d1" : "d2", times[i], i % 5 == 4 ? REVIEW_SAMPLE : REVIEW_ACTION,
                             i % 4 == 0 ? ITEM_FALSE_POSITIVE : ITEM_TRUE_POSITIVE, i % 7 == 6});
    }
    for (int64_t since = times[0] - 2 * step; since < times[COUNT(times) - 1] + 2 * step; since += since % 2 == 0 ? step : step - 1) {
        uint64_t right = 0, wrong = 0, missed = 0, of_acme = 0;
        for (unsigned i = 0; i < COUNT(times); i++) {
            bool is_counted = times[i] >= since && i % 7 != 6, is_sample = i % 5 == 4, is_right = i % 4 != 0;
            right += is_counted && !is_sample && is_right;
            wrong += is_counted && !is_sample && !is_right;
            missed += is_counted && is_sample && is_right;
            of_acme += is_counted && !is_sample && i % 3 == 0;
        }
        struct quality q = found("r", NULL, since), acme = found("r", "acme", since);
        assert_int_equal(q.all.n[ITEM_TRUE_POSITIVE], right);
        assert_int_equal(q.all.n[ITEM_FALSE_POSITIVE], wrong);
        assert_int_equal(q.samples.missed, missed);
        assert_int_equal(acme.all.n[ITEM_TRUE_POSITIVE] + acme.all.n[ITEM_FALSE_POSITIVE], of_acme);
    }
}

static void a_reopened_item_does_not_count(void **state)
{
    (void)state;
    add(2, (struct said){"r", "acme", "d", 1000, REVIEW_ACTION, ITEM_TRUE_POSITIVE, false});
    reopen_last();
    assert_int_equal(found("r", NULL, 0).all.n[ITEM_TRUE_POSITIVE], 1);
    add(1, (struct said){"", "acme", "d", 1000, REVIEW_SAMPLE, ITEM_POLICY_GAP, false});
    reopen_last();
    assert_int_equal(found("r", NULL, 0).samples.n, 0);
}

static void many_rules_are_read_at_once(void **state)
{
    const struct span rules[] = {span_str("r"), span_str("none"), span_str("q")};
    uint64_t counts[COUNT(rules)][ITEM_DISPOSITIONS];
    (void)state;

    add(3, (struct said){"r", "acme", "d1", REVIEW_DAY_MS - 5000, REVIEW_ACTION, ITEM_TRUE_POSITIVE, false});
    add(2, (struct said){"r", "acme", "d1", REVIEW_DAY_MS, REVIEW_ACTION, ITEM_TRUE_POSITIVE, false});
    add(4, (struct said){"q", "other", "d1", REVIEW_DAY_MS, REVIEW_ACTION, ITEM_BENIGN, false});
    struct review_reader *r = review_reader_open(path, &err);
    must(r != NULL && quality_of_rules(r, rules, COUNT(rules), span_of(NULL, 0), REVIEW_DAY_MS + 77, counts, &err));
    assert_int_equal(counts[0][ITEM_TRUE_POSITIVE], 2);
    assert_int_equal(counts[1][ITEM_TRUE_POSITIVE], 0);
    assert_int_equal(counts[2][ITEM_BENIGN], 4);
    must(quality_of_rules(r, rules, COUNT(rules), span_str("acme"), 0, counts, &err));
    assert_int_equal(counts[0][ITEM_TRUE_POSITIVE], 5);
    assert_int_equal(counts[2][ITEM_BENIGN], 0);
    review_reader_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dispositions_count_by_digest_the_newest_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(samples_are_counted_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(samples_of_rules_are_apart_from_both, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_beginning_counts_what_is_behind_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reopened_item_does_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_rules_are_read_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_newest_digest_decides_once_there_is_enough_of_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
