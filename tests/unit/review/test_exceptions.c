/* test_exceptions.c - exceptions and reveals from lines, in review.db. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "review/exceptions.h"
#include "review/reveals.h"

enum { STEPS = 3000, IDS = 300, LINE_MAX_BYTES = 1024 };

static char folder[] = "/tmp/filterd-exceptions-XXXXXX", path[64];
static struct index_store store;
static struct review_fold *fold;
static struct error err;
static uint64_t seq;

static void open_fold(void)
{
    assert_true(index_store_open(&store, &review_schema, path, &err));
    fold = review_fold_new(&store, &err);
    assert_non_null(fold);
}

static void close_fold(void)
{
    review_fold_free(fold);
    index_store_close(&store);
}

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/filterd-exceptions-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(path, sizeof(path), "%s/review.db", folder);
    seq = 0;
    open_fold();
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"", "-wal", "-shm", ".lock"};
    char name[96];

    (void)state;
    close_fold();
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", path, names[i]);
        (void)unlink(name);
    }
    return rmdir(folder);
}

static void add(const char *type, unsigned second, const char *members)
{
    char line[LINE_MAX_BYTES];

    (void)snprintf(line, sizeof(line), "{\"seq\":%llu,\"v\":2,\"type\":\"%s\",\"ts\":\"2026-11-23T%02u:%02u:%02u.000000000Z\",%s}",
                   (unsigned long long)++seq, type, second / 3600, second / 60 % 60, second % 60, members);
    if (!review_fold_add(fold, span_str(line), &err)) {
        fail_msg("%s", err.text);
    }
}

static struct review_reader *committed(void)
{
    assert_true(review_fold_commit(fold, "node/filterd/1", &err));
    struct review_reader *r = review_reader_open(path, &err);
    assert_non_null(r);
    return r;
}

#define SCOPE "\"tenant\":\"acme\",\"rule\":\"test-key\",\"scope\":\"app\",\"app\":\"web \\\"1\\\"\",\"until\":\"2026-12-24T00:00:00Z\""

static void an_exception_is_what_its_lines_say(void **state)
{
    struct exception_row row;

    (void)state;
    add("exception", 1, "\"id\":\"a\",\"step\":\"proposed\"," SCOPE
                        ",\"item\":7,\"preview\":{\"findings\":212,\"confirmed\":3,\"cut\":false},\"why\":\"ours\",\"by\":\"anna\",\"role\":\"reviewer\"");
    add("exception", 2, "\"id\":\"a\",\"step\":\"approved\",\"by\":\"ben\",\"role\":\"approver\""); /* wide, confirmed: no */
    add("exception", 3, "\"id\":\"a\",\"step\":\"approved\",\"by\":\"anna\",\"role\":\"admin\"");   /* the proposer: no */
    add("exception", 4, "\"id\":\"a\",\"step\":\"approved\",\"by\":\"carol\",\"role\":\"admin\"");
    add("exception", 5, "\"id\":\"a\",\"step\":\"approved\",\"by\":\"dora\",\"role\":\"admin\""); /* too late */
    struct review_reader *r = committed();
    assert_true(exceptions_at(r, span_str("a"), span_of(NULL, 0), &row, &err));
    assert_int_equal(row.exception.state, EXCEPTION_ACTIVE);
    assert_string_equal(row.exception.decided_by, "carol");
    assert_string_equal(row.exception.scope.text, "web \"1\"");
    assert_int_equal(row.exception.scope.preview.findings, 212);
    assert_string_equal(row.why, "ours");
    assert_int_equal(row.seq, 1);
    assert_int_equal(row.changed_ms - row.proposed_ms, 3000);
    assert_true(exceptions_at(r, span_str("a"), span_str("acme"), &row, &err));
    assert_false(exceptions_at(r, span_str("a"), span_str("other"), &row, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    review_reader_close(r);
}

static void lines_of_another_shape_change_nothing(void **state)
{
    static const char *const cases[] = {
        "\"id\":7,\"step\":\"proposed\"," SCOPE ",\"by\":\"anna\"",
        "\"id\":\"a\",\"step\":\"proposed\"," SCOPE,
        "\"id\":\"a\",\"step\":\"invented\"," SCOPE ",\"by\":\"anna\"",
        "\"id\":\"a\",\"step\":\"proposed\",\"tenant\":\"acme\",\"rule\":\"r\",\"scope\":\"app\",\"app\":\"web\",\"until\":\"never\",\"by\":\"anna\"",
        "\"id\":\"a\",\"step\":\"proposed\",\"tenant\":\"acme\",\"rule\":\"r\",\"scope\":\"app\",\"app\":\"web\",\"until\":\"2027-12-24T00:00:00Z\",\"by\":\"anna\"",
        "\"id\":\"a\",\"step\":\"approved\",\"by\":\"ben\"",
    };
    struct exception_row row;

    (void)state;
    for (unsigned i = 0; i < COUNT(cases); i++) {
        add("exception", i, cases[i]);
    }
    struct review_reader *r = committed();
    assert_false(exceptions_at(r, span_str("a"), span_of(NULL, 0), &row, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    review_reader_close(r);
}

struct list {
    unsigned n;
    uint64_t last;
    const char *tenant;
};

static bool count_exception(void *context, const struct exception_row *row, struct error *unused)
{
    struct list *l = context;

    (void)unused;
    assert_true(l->n == 0 || row->seq < l->last);
    assert_true(l->tenant == NULL || strcmp(row->exception.scope.tenant, l->tenant) == 0);
    l->n++;
    l->last = row->seq;
    return true;
}

static void lists_are_of_a_tenant_and_go_on_by_number(void **state)
{
    char members[LINE_MAX_BYTES];
    struct list l = {.tenant = "t1"};
    uint64_t next = 0;

    (void)state;
    for (unsigned i = 0; i < 30; i++) {
        (void)snprintf(members, sizeof(members),
                       "\"id\":\"x%u\",\"step\":\"proposed\",\"tenant\":\"t%u\",\"rule\":\"r\",\"scope\":\"value\",\"value_tok\":\"e1:0\","
                       "\"until\":\"2026-12-24T00:00:00Z\",\"by\":\"anna\"", i, i % 3);
        add("exception", i, members);
    }
    struct review_reader *r = committed();
    struct exceptions_query q = {.tenant = span_str("t1"), .limit = 3};
    unsigned pages = 0;
    do {
        q.before = next;
        assert_true(exceptions_find(r, &q, count_exception, &l, &next, &err));
        pages++;
    } while (next != 0);
    assert_int_equal(l.n, 10);
    assert_int_equal(pages, 4);
    q = (struct exceptions_query){.is_applying = true, .limit = 100};
    l = (struct list){.n = 0};
    assert_true(exceptions_find(r, &q, count_exception, &l, &next, &err));
    assert_int_equal(l.n, 0);
    review_reader_close(r);
}

static unsigned long long seed = 362436069ULL;

static unsigned roll(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % n;
}

/* What the steps alone come to is what the fold comes to, however its lines are cut into transactions and it is opened anew. */
static void random_lines_of_reveals_fold_as_their_steps(void **state)
{
    static const char *const people[] = {"anna", "ANNA", "ben", "carol"}, *const verbs[] = {"asked", "approved", "refused", "opened", "closed"};
    static struct reveal model[IDS];
    const struct reveal_scope scope = {.tenant = "acme", .item = 7, .blob = "b", .purpose = REVEAL_LEGAL, .matter = "M"};
    char members[LINE_MAX_BYTES];
    static const unsigned odds[] = {0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4};
    struct reveal_row row;
    unsigned opened = 0;

    (void)state;
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned id = i * IDS / STEPS, verb = odds[roll(COUNT(odds))], second = i * 20, until = second + 1800;
        const char *by = people[roll(COUNT(people))], *why = roll(2) == 0 ? "" : "again";
        (void)snprintf(members, sizeof(members),
                       "\"request\":\"r%u\",\"step\":\"%s\",\"tenant\":\"acme\",\"item\":7,\"blob\":\"b\",\"purpose\":\"legal\",\"case\":\"M\","
                       "\"until\":\"2026-11-23T%02u:%02u:%02uZ\",\"why\":\"%s\",\"by\":\"%s\"",
                       id, verbs[verb], until / 3600, until / 60 % 60, until % 60, why, by);
        add("reveal", second, members);
        int64_t base = INT64_C(1795392000000); /* 2026-11-23 */
        const struct reveal_event e = {.verb = verb + 1, .ts_ms = base + second * INT64_C(1000), .by = span_str(by), .why = span_str(why),
                                       .until_ms = base + until * INT64_C(1000), .scope = &scope};
        struct error refused;
        opened += reveal_step(&model[id], &e, &model[id], &refused) && e.verb == REVEAL_OPEN;
        if (roll(50) == 0) {
            assert_true(review_fold_commit(fold, "node/filterd/1", &err));
            close_fold();
            open_fold();
        }
    }
    struct review_reader *r = committed();
    for (unsigned id = 0; id < IDS; id++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "r%u", id);
        bool is_there = reveals_at(r, span_str(name), span_str("acme"), &row, &err);
        assert_int_equal(is_there, model[id].state != REVEAL_NONE);
        if (is_there) {
            assert_int_equal(row.reveal.state, model[id].state);
            assert_string_equal(row.reveal.by, model[id].by);
            assert_string_equal(row.reveal.decided_by, model[id].decided_by);
            assert_int_equal(row.reveal.opened, model[id].opened);
            assert_int_equal(row.reveal.until_ms, model[id].until_ms);
        }
    }
    review_reader_close(r);
    assert_true(opened > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_exception_is_what_its_lines_say, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_of_another_shape_change_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_are_of_a_tenant_and_go_on_by_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_lines_of_reveals_fold_as_their_steps, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
