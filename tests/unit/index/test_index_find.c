/* Pages of the index have the lines that a query means, all of them and each once; and no page reads more than it must. */
#include "index_testing.h"

#include <sys/stat.h>

#include "index/index_find.h"
#include "index/index_follow.h"
#include "index/index_plan.h"

/* The first lines were removed; those that are left are in two regions, of which one is complete. */
enum { FIRST = INDEX_REGION_LINES - 4000, LINES = FIRST + 9000, SPLIT_1 = FIRST + 3000, SPLIT_2 = FIRST + 6000 };

static const int64_t now_ns = INT64_C(1795248000) * 1000000000;
static char index_path[256];
static struct buf all; /* text of the log */
static struct span lines[LINES + 1];

static void split_lines(void)
{
    const char *at = all.data;

    for (unsigned i = FIRST; i <= LINES; i++) {
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
    append_lines(&all, FIRST, SPLIT_1, true);
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

/* Which lines a query means, by reading each of them: once for all ways to page through them. */
static bool is_meant[LINES + 1];

static void find_meant(const char *text)
{
    struct error err;
    struct query *query = query_compile(span_str(text), now_ns, &err);

    must(query != NULL, &err);
    for (unsigned i = FIRST; i <= LINES; i++) {
        is_meant[i] = query_matches(query, lines[i]);
    }
    query_free(query);
}

/* What is left of the lines that are expected. */
struct expected {
    uint64_t seq;
    unsigned n;
};

static bool take(void *context, uint64_t seq, struct span line, struct error *err)
{
    struct expected *e = context;

    (void)err;
    while (e->seq > seq) {
        e->seq--;
        assert_true(e->seq == seq || !is_meant[e->seq]);
    }
    assert_int_equal(e->seq, seq);
    assert_true(span_equal(line, lines[seq]));
    assert_true(is_meant[seq]);
    e->n++;
    return true;
}

/* Pages through all of them, which find_meant has found; the number of lines. */
static unsigned page_through(const char *text, unsigned limit)
{
    struct error err;
    struct query *query = query_compile(span_str(text), now_ns, &err);
    must(query != NULL, &err);
    struct expected e = {.seq = LINES + 1};
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
    while (--e.seq >= FIRST) {
        assert_false(is_meant[e.seq]);
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
        "agent:agent-7,agent-8,nobody action:redact,block",
        "agent:agent-7 rule:iban action:block",
        "agent:agent-7 action:block seq:..65535",
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
        "policy:\"sha256:00\" seq:62000..62100",
        "token:k1:00000000000000000000000000000007",
        "token:k1:00000000000000000000000000000500",
        "token:k1:00000000000000000000000000000007,k1:00000000000000000000000000000501 agent:agent-4",
        "session:k1:00000000000000000000000000000007",
        "session:k1:0000000000000000000000000000000*",
        "seq:64520..64550",
        "seq:67520..67550,62007",
        "since:2026-01-06T00:00:00Z until:2026-01-06T06:00:00Z",
        "since:2026-01-06T00:00:00Z agent:agent-9",
        "until:2026-01-03T00:00:00Z action:block",
        "req:00007d00-a580-7761-a879-d7f612f9f4cb",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(queries); i++) {
        find_meant(queries[i]);
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
        "seq:80000..", "token:k1:00000000000000000000000000009999", "token:x", "req:no", "session:none", "agent:\"\"",
        "action:block action:redact", "app:\"a\xc3\xa4\"", "state:new",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(queries); i++) {
        find_meant(queries[i]);
        assert_int_equal(page_through(queries[i], 500), 0);
    }
}

static void one_line_is_as_written(void **state)
{
    static const unsigned some[] = {FIRST, SPLIT_1 - 1, SPLIT_1, SPLIT_1 + 1, INDEX_REGION_LINES - 1, INDEX_REGION_LINES, SPLIT_2 - 1, SPLIT_2, SPLIT_2 + 1, LINES};
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
    assert_false(index_line_at(r, FIRST - 1, &line, &err));
    assert_false(index_line_at(r, 0, &line, &err));
    index_reader_close(r);
    buf_deinit(&line);
}

/* What was held back of an agent has a table of its own, as both have more lines than a page may look at. */
static void held_lines_of_an_agent_are_not_looked_for(void **state)
{
    static const struct {
        const char *query;
        enum index_way way;
        size_t n;
    } cases[] = {
        {"agent:agent-7 action:block", INDEX_WAY_AGENT_HELD, 1},   {"action:redact,block agent:agent-7,agent-8,nobody", INDEX_WAY_AGENT_HELD, 4},
        {"agent:agent-7 action:block,allow", INDEX_WAY_AGENT, 1},  {"agent:agent-7 -action:block", INDEX_WAY_AGENT, 1},
        {"agent:agent-* action:block", INDEX_WAY_HELD, 1},         {"agent:nobody action:block", INDEX_WAY_AGENT_HELD, 0},
        {"agent:agent-7 action:block req:a", INDEX_WAY_REQ, 1},    {"tenant:t1", INDEX_WAY_ALL, 1},
    };
    static struct index_plan plan;
    struct error err;

    (void)state;
    struct index_reader *r = index_reader_open(index_path, folder, &err);
    must(r != NULL, &err);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct query *query = query_compile(span_str(cases[i].query), now_ns, &err);
        must(query != NULL && index_plan_make(&plan, index_reader_db(r), query, 0, &err), &err);
        assert_int_equal(plan.n_cursors, cases[i].n);
        assert_true(cases[i].n == 0 || plan.cursors[0].way == cases[i].way);
        query_free(query);
    }
    index_reader_close(r);
}

/* A page ends when its cost is used up; the next one begins behind what was looked at. */
static void a_cursor_without_budget_can_be_continued(void **state)
{
    static const enum index_way ways[] = {INDEX_WAY_AGENT, INDEX_WAY_FILTER, INDEX_WAY_REQ};
    const struct index_key key = {.number = 12345678};
    struct index_cursor c;
    struct error err;

    (void)state;
    struct index_reader *r = index_reader_open(index_path, folder, &err);
    must(r != NULL, &err);
    for (size_t i = 0; i < COUNT(ways); i++) {
        uint64_t end = LINES + 1;
        unsigned pages = 0;
        for (bool is_end = false; !is_end; pages++) {
            int64_t cost = 0;
            must(index_cursor_open(&c, index_reader_db(r), ways[i], &key, FIRST, end, &err) && index_cursor_next(&c, &cost, &err), &err);
            assert_false(c.has_row);
            is_end = c.is_end;
            assert_true(is_end || (c.is_paused && c.row.seq < end));
            end = c.row.seq;
            index_cursor_close(&c);
        }
        assert_true(pages > 1 && pages < 300);
    }
    index_reader_close(r);
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
    for (unsigned i = FIRST; i <= LINES; i++) {
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
    for (size_t i = 0; index_cursor_sql(i) != NULL; i++) {
        assert_plan(db, index_cursor_sql(i));
    }
    (void)sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_have_what_a_query_means),
        cmocka_unit_test(a_query_that_nothing_matches_has_no_line),
        cmocka_unit_test(one_line_is_as_written),
        cmocka_unit_test(held_lines_of_an_agent_are_not_looked_for),
        cmocka_unit_test(a_cursor_without_budget_can_be_continued),
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
