/* test_quality_find.c - what reviewers said of a rule, from the rows of review.db. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "review/quality_find.h"

static char folder[40], path[64];
static struct index_store store;
static struct error err;
static int64_t seq;

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

static void add(unsigned n, struct said s)
{
    char sql[1024];

    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(sql, sizeof(sql),
                       "INSERT INTO item VALUES(%lld,%lld,0,NULL,%d,0,0,0,0,0,0,0,0,0,'%s','','','%s','','%s',1,%d,0,%d,'',0,1,0,0,'',0)",
                       (long long)++seq, (long long)s.ts_ms + i, (int)s.why, s.tenant, s.rule, s.digest, s.is_open, (int)s.disposition);
        if (!index_execute(store.db, sql, &err)) {
            fail_msg("%s", err.text);
        }
    }
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
    assert_false(q.is_cut);
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
    assert_int_equal(q.sampled, 13);
    assert_int_equal(q.missed, 3);
    assert_int_equal(q.all.n[ITEM_TRUE_POSITIVE], 0);
    assert_int_equal(found("r", "other", 0).sampled, 0);
    assert_int_equal(found("r", "acme", 2000).sampled, 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dispositions_count_by_digest_the_newest_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(samples_are_counted_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_newest_digest_decides_once_there_is_enough_of_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
