/* Pages of the index have the lines that a query means, all of them and each once; and no page reads more than it must. */
#include "index_testing.h"

#include <sys/stat.h>

#include "index/index_cursor.h"
#include "index/index_find.h"
#include "index/index_follow.h"

enum { LINES = 9000, SPLIT_1 = 3000, SPLIT_2 = 6000 };

static const int64_t now_ns = INT64_C(1795248000) * 1000000000;
static char index_path[256];
static struct buf all; /* text of the log */
static struct span lines[LINES + 1];

static void split_lines(void)
{
    const char *at = all.data;

    for (unsigned i = 1; i <= LINES; i++) {
        const char *end = memchr(at, '\n', (size_t)(all.data + all.len - at));
        lines[i] = span_of(at, (size_t)(end - at));
        at = end + 1;
    }
}

/* Three files: compressed, moved away since, open. */
static int setup(void **state)
{
    struct index_place place = {.folder = folder, .index = index_path};
    char log[256];
    struct error err;
    bool more = true;

    (void)state;
    (void)snprintf(index_path, sizeof(index_path), "%s/record", folder);
    assert_int_equal(mkdir(index_path, 0700), 0);
    (void)snprintf(index_path, sizeof(index_path), "%s/record/index.db", folder);
    (void)snprintf(log, sizeof(log), "%s/decisions.jsonl", folder);
    place.log = log;
    buf_init(&all, LINES_MAX);
    append_lines(&all, 1, SPLIT_1, true);
    size_t first = all.len;
    append_lines(&all, SPLIT_1 + 1, SPLIT_2, true);
    size_t second = all.len;
    append_lines(&all, SPLIT_2 + 1, LINES, true);
    split_lines();
    write_log("decisions-1.jsonl.zst", LOG_ZSTD, span_of(all.data, first));
    write_log("decisions-2.jsonl", LOG_PLAIN, span_of(all.data + first, second - first));
    write_log("decisions.jsonl", LOG_PLAIN, span_of(all.data + second, all.len - second));
    struct index_follow *f = index_follow_open(&place, &err);
    must(f != NULL, &err);
    while (more) {
        must(index_follow_step(f, UINT64_MAX, 1000, &more, &err), &err);
    }
    assert_int_equal(index_follow_seq(f), LINES);
    index_follow_close(f);
    assert_int_equal(rename(in_folder("decisions-2.jsonl"), in_folder("moved.jsonl")), 0);
    return 0;
}

static int teardown(void **state)
{
    buf_deinit(&all);
    return empty_folder(state);
}

/* What is left of the lines that are expected. */
struct expected {
    uint64_t seq;
    unsigned n;
    const struct query *query;
};

static bool take(void *context, uint64_t seq, struct span line, struct error *err)
{
    struct expected *e = context;

    (void)err;
    while (e->seq > seq) {
        e->seq--;
        assert_true(e->seq == seq || !query_matches(e->query, lines[e->seq]));
    }
    assert_int_equal(e->seq, seq);
    assert_true(span_equal(line, lines[seq]));
    assert_true(query_matches(e->query, line));
    e->n++;
    return true;
}

/* Pages through all of them; the number of lines. */
static unsigned page_through(const char *text, unsigned limit)
{
    struct error err;
    struct query *query = query_compile(span_str(text), now_ns, &err);
    must(query != NULL, &err);
    struct expected e = {.seq = LINES + 1, .query = query};
    struct index_page page = {.query = query, .limit = limit, .take = take, .context = &e};

    for (uint64_t next = 1; next != 0; page.before = next) {
        unsigned before = e.n;
        struct index_reader *r = index_reader_open(index_path, folder, &err);
        must(r != NULL, &err);
        must(index_find(r, &page, &next, &err), &err);
        index_reader_close(r);
        assert_true(e.n - before <= limit);
        assert_true(next == 0 || page.before == 0 || next < page.before);
    }
    while (--e.seq > 0) {
        assert_false(query_matches(query, lines[e.seq]));
    }
    query_free(query);
    return e.n;
}

static void pages_have_what_a_query_means(void **state)
{
    static const char *const queries[] = {
        "agent:agent-7",
        "agent:agent-7,agent-8,nobody",
        "agent:agent-1*",
        "-agent:agent-7",
        "agent:agent-7 action:block",
        "action:block,redact",
        "action:allow tenant:t1",
        "-action:allow",
        "rule:iban",
        "rule:iban,phone -action:block",
        "rule:filterd.unjudged agent:agent-3",
        "-rule:iban type:decision",
        "severity:critical action:block",
        "severity:low",
        "-severity:low rule:phone",
        "category:pii agent:agent-2",
        "type:agent",
        "type:access who:anna",
        "policy:p1 app:a\xc3\xa4" "1 tenant:t2",
        "policy:\"sha256:00\" seq:100..200",
        "token:k1:00000000000000000000000000000007",
        "token:k1:00000000000000000000000000000500",
        "token:k1:00000000000000000000000000000007,k1:00000000000000000000000000000501 agent:agent-4",
        "session:k1:00000000000000000000000000000007",
        "session:k1:0000000000000000000000000000000*",
        "seq:2990..3010",
        "seq:5990..6010,7",
        "since:2025-11-24T00:00:00Z until:2025-11-24T06:00:00Z",
        "since:2025-11-24T00:00:00Z agent:agent-9",
        "until:2025-11-22T00:00:00Z action:block",
        "req:00000900-a580-7761-a879-d7f612f9f4cb",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(queries); i++) {
        unsigned n = page_through(queries[i], 500);
        if (n == 0 || page_through(queries[i], 7) != n) {
            fail_msg("%s: %u lines", queries[i], n);
        }
    }
}

static void a_query_that_nothing_matches_has_no_line(void **state)
{
    static const char *const queries[] = {
        "agent:nobody", "rule:none", "tenant:none", "type:reveal", "since:2030-01-01T00:00:00Z", "until:2020-01-01T00:00:00Z",
        "seq:10000..", "token:k1:00000000000000000000000000009999", "token:x", "req:no", "session:none", "agent:\"\"",
        "action:block action:redact", "app:\"a\xc3\xa4\"", "state:new",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(queries); i++) {
        assert_int_equal(page_through(queries[i], 500), 0);
    }
}

static void one_line_is_as_written(void **state)
{
    static const unsigned some[] = {1, 2999, 3000, 3001, 5999, 6000, 6001, LINES};
    struct buf line;
    struct error err;

    (void)state;
    buf_init(&line, 2 * TREE_LEAF_MAX);
    struct index_reader *r = index_reader_open(index_path, folder, &err);
    must(r != NULL, &err);
    for (size_t i = 0; i < COUNT(some); i++) {
        buf_clear(&line);
        must(index_line_at(r, some[i], &line, &err), &err);
        assert_true(span_equal(buf_span(&line), lines[some[i]]));
    }
    assert_false(index_line_at(r, LINES + 1, &line, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_false(index_line_at(r, 0, &line, &err));
    index_reader_close(r);
    buf_deinit(&line);
}

static bool add_up(void *context, const struct index_tally_row *row, struct error *err)
{
    (void)err;
    *(uint64_t *)context += row->n;
    return true;
}

/* By every set of columns the sum is the number of lines with an action. */
static void tallies_add_up_to_the_lines(void **state)
{
    uint64_t expected = 0, blocks = 0;
    struct error err;

    (void)state;
    for (unsigned i = 1; i <= LINES; i++) {
        struct query *q = query_compile(span_str("action:allow,redact,block"), now_ns, &err);
        expected += query_matches(q, lines[i]);
        query_free(q);
        q = query_compile(span_str("action:block tenant:t1"), now_ns, &err);
        blocks += query_matches(q, lines[i]);
        query_free(q);
    }
    struct index_reader *r = index_reader_open(index_path, folder, &err);
    must(r != NULL, &err);
    for (unsigned by = 0; by < 16; by++) {
        uint64_t n = 0, n_blocks = 0;
        struct index_tally_query q = {.by = by, .end_hour = INT64_MAX, .action = INDEX_NO_ACTION};
        must(index_tally_read(r, &q, add_up, &n, &err), &err);
        assert_int_equal(n, expected);
        q.action = INDEX_BLOCK;
        q.tenant = span_str("t1");
        must(index_tally_read(r, &q, add_up, &n_blocks, &err), &err);
        assert_int_equal(n_blocks, blocks);
    }
    index_reader_close(r);
}

static void assert_plan(sqlite3 *db, const char *query)
{
    sqlite3_stmt *s = NULL;
    char sql[1024];
    unsigned n = 0;

    (void)snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", query);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    for (; sqlite3_step(s) == SQLITE_ROW; n++) {
        const char *detail = (const char *)sqlite3_column_text(s, 3);
        if (strncmp(detail, "SEARCH ", 7) != 0) {
            fail_msg("%s: %s", query, detail);
        }
    }
    assert_true(n > 0);
    (void)sqlite3_finalize(s);
}

static void no_page_reads_a_whole_table_or_sorts(void **state)
{
    sqlite3 *db = NULL;

    (void)state;
    assert_int_equal(sqlite3_open_v2(index_path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (unsigned way = 0; way < INDEX_WAYS; way++) {
        assert_plan(db, index_way_sql((enum index_way)way));
    }
    (void)sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_have_what_a_query_means),
        cmocka_unit_test(a_query_that_nothing_matches_has_no_line),
        cmocka_unit_test(one_line_is_as_written),
        cmocka_unit_test(tallies_add_up_to_the_lines),
        cmocka_unit_test(no_page_reads_a_whole_table_or_sorts),
    };

    if (mkdtemp(folder) == NULL) {
        return 2;
    }
    int status = cmocka_run_group_tests(tests, setup, teardown);
    (void)rmdir(folder);
    return status;
}
