/* review.db, kept up while its log is written and while its writer is killed, is the one made of the lines at once; and what it
 * counts is what is in it. FILTERD_STEPS and FILTERD_KILLS: how many of each. */
#include "review_testing.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char log_path[256], live_path[256], fresh_path[256];

static int setup(void **state)
{
    (void)empty_folder(state);
    (void)snprintf(live_path, sizeof(live_path), "%s/live", folder);
    assert_int_equal(mkdir(live_path, 0700), 0);
    (void)snprintf(log_path, sizeof(log_path), "%s/decisions.jsonl", folder);
    (void)snprintf(live_path, sizeof(live_path), "%s/live/review.db", folder);
    (void)snprintf(fresh_path, sizeof(fresh_path), "%s/live/fresh.db", folder);
    return 0;
}

static struct index_place place_of(const char *path)
{
    return (struct index_place){.log = log_path, .folder = folder, .index = path, .maker = &review_maker};
}

static void write_lines(uint64_t from, uint64_t to)
{
    FILE *file = fopen(log_path, "a");
    struct buf text;

    buf_init(&text, LINES_MAX);
    for (uint64_t seq = from; seq <= to; seq++) {
        append_review_line(&text, seq);
    }
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.len, file), text.len);
    assert_int_equal(fclose(file), 0);
    buf_deinit(&text);
}

static void follow_all(struct index_follow *f)
{
    struct error err;
    bool more = true;

    while (more) {
        must(index_follow_step(f, UINT64_MAX, 1000, &more, &err), &err);
    }
}

static void bring_up(const char *path, bool is_anew)
{
    const struct index_place place = place_of(path);
    struct error err;
    struct index_follow *f = is_anew ? index_follow_rebuild(&place, &err) : index_follow_open(&place, &err);

    must(f != NULL, &err);
    follow_all(f);
    if (is_anew) {
        must(index_follow_finish(f, &err), &err);
    }
    index_follow_close(f);
}

static void kill_while_following(uint64_t last)
{
    const struct index_place place = place_of(live_path);
    pid_t child = fork();

    if (child == 0) {
        struct error err;
        bool more = true;
        struct index_follow *f = index_follow_open(&place, &err);
        while (f != NULL && index_follow_step(f, last, 1, &more, &err)) {
        }
        _exit(1);
    }
    (void)usleep(pick(15000));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void assert_same_tables(void)
{
    struct buf live, fresh;

    buf_init(&live, LINES_MAX);
    buf_init(&fresh, LINES_MAX);
    for (size_t i = 0; i < COUNT(review_tables); i++) {
        dump_table(live_path, review_tables[i], &live);
        dump_table(fresh_path, review_tables[i], &fresh);
        if (!span_equal(buf_span(&live), buf_span(&fresh))) {
            fail_msg("table %s differs", review_tables[i]);
        }
        if (live.len == 0) {
            fail_msg("table %s is empty", review_tables[i]);
        }
    }
    buf_deinit(&live);
    buf_deinit(&fresh);
}

/* A number of rows that ought to be 0. */
static void assert_none(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;

    assert_int_equal(sqlite3_open_v2(live_path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
        fail_msg("%s", sqlite3_errmsg(db));
    }
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    if (sqlite3_column_int(s, 0) != 0) {
        fail_msg("%d rows: %s", sqlite3_column_int(s, 0), sql);
    }
    (void)sqlite3_finalize(s);
    (void)sqlite3_close(db);
}

static void assert_counts(void)
{
    assert_none("SELECT count(*) FROM grp WHERE n_open != (SELECT count(*) FROM item WHERE grp=grp.row AND is_open=1)");
    assert_none("SELECT count(*) FROM grp WHERE n != (SELECT sum(n) FROM hit WHERE grp=grp.row)");
    assert_none("SELECT count(*) FROM grp WHERE n_agents != (SELECT count(*) FROM grp_agent WHERE grp=grp.row)");
    assert_none("SELECT count(*) FROM standing s WHERE n != (SELECT count(*) FROM item WHERE tenant=s.tenant AND state=s.state)");
    assert_none("SELECT count(*) FROM verdict v WHERE n != (SELECT count(*) FROM item i WHERE i.tenant=v.tenant AND i.rule=v.rule AND"
                " i.digest=v.digest AND (CASE i.why WHEN 5 THEN 1 WHEN 6 THEN 2 ELSE 0 END)=v.is_sample AND (v.disposition=0 OR v.disposition=i.disposition))");
    assert_none("SELECT count(*) FROM item WHERE is_open != (state != 2) OR (is_open AND disposition != 0)");
    assert_none("SELECT count(*) FROM item WHERE why IN (5,6) AND grp IS NOT NULL");
    assert_none("SELECT count(*) FROM item WHERE last NOT IN (0) AND NOT EXISTS (SELECT 1 FROM step WHERE item=item.seq AND step.seq=last)");
}

static unsigned long wanted(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtoul(text, NULL, 10);
}

static void the_live_tables_are_those_made_of_the_lines(void **state)
{
    const uint64_t steps = wanted("FILTERD_STEPS", 4000);
    const uint64_t kills = wanted("FILTERD_KILLS", 8);
    uint64_t seq = 0;

    (void)state;
    for (uint64_t k = 0; k < kills; k++) {
        uint64_t to = seq + steps / kills;
        write_lines(seq + 1, to);
        seq = to;
        kill_while_following(seq - pick(20));
        if (pick(3) == 0) {
            bring_up(live_path, false);
        }
    }
    bring_up(live_path, false);
    bring_up(fresh_path, true);
    assert_same_tables();
    assert_counts();
}

/* Whatever the order of pages, each open item is on one of them, once, in the order of the queue. */
struct seen {
    uint64_t n;
    struct review_items_key last;
};

static bool see(void *context, const struct review_item *item, struct error *err)
{
    struct seen *s = context;
    struct review_items_key key = {-(int64_t)item->priority.total, item->item.seq};

    (void)err;
    assert_true(s->n == 0 || key.rank > s->last.rank || (key.rank == s->last.rank && key.seq > s->last.seq));
    s->last = key;
    s->n++;
    return true;
}

static uint64_t page_through(const struct review_items_query *wanted_items)
{
    struct review_items_query q = *wanted_items;
    struct seen s = {0};
    struct error err;
    bool has_next = true;
    struct review_reader *r = review_reader_open(live_path, &err);

    must(r != NULL, &err);
    while (has_next) {
        q.limit = 1 + pick(20);
        must(review_items(r, &q, see, &s, &has_next, &q.after, &err), &err);
        q.has_after = true;
    }
    review_reader_close(r);
    return s.n;
}

static void every_item_is_on_one_page(void **state)
{
    const struct span tenants[] = {span_str("t0"), span_str("t1"), span_str("t2"), span_str("")};
    struct review_items_query q = {.now_ms = 0};
    struct review_counts all, one;
    struct error err;
    uint64_t n = 0;

    (void)state;
    write_lines(1, 3000);
    bring_up(live_path, false);
    struct review_reader *r = review_reader_open(live_path, &err);
    must(r != NULL && review_counts(r, span_of(NULL, 0), INT64_MAX, &all, &err), &err);
    for (unsigned states = 0; states < REVIEW_ITEMS_STATES; states++) {
        const uint64_t expected[] = {all.n[ITEM_NEW] + all.n[ITEM_CLAIMED], all.n[ITEM_NEW], all.n[ITEM_CLAIMED], all.n[ITEM_CLOSED]};
        q.states = (enum review_states)states;
        assert_int_equal(page_through(&q), expected[states]);
    }
    q.states = REVIEW_ITEMS_OPEN;
    for (size_t i = 0; i < COUNT(tenants); i++) {
        q.tenant = tenants[i];
        must(review_counts(r, tenants[i], INT64_MAX, &one, &err), &err);
        assert_int_equal(page_through(&q), one.n[ITEM_NEW] + one.n[ITEM_CLAIMED]);
        n += one.n[ITEM_NEW] + one.n[ITEM_CLAIMED];
        assert_int_equal(one.n_overdue, one.n[ITEM_NEW] + one.n[ITEM_CLAIMED]);
    }
    assert_int_equal(n, all.n[ITEM_NEW] + all.n[ITEM_CLAIMED]);
    assert_true(n > 100);
    review_reader_close(r);
}

/* As many as a statement counts. */
static uint64_t count_rows(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;

    assert_int_equal(sqlite3_open_v2(live_path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    uint64_t n = (uint64_t)sqlite3_column_int64(s, 0);
    (void)sqlite3_finalize(s);
    (void)sqlite3_close(db);
    return n;
}

/* Each filter goes by an index of its own; all of them find what a look at every item finds. */
static void filters_find_what_there_is(void **state)
{
    const int64_t early = ((int64_t)T0_S + 20 * 100) * 1000, late = INT64_C(4000000000000);
    const struct {
        struct review_items_query q;
        const char *sql;
    } cases[] = {
        {{.tenant = span_str("t1"), .rule = span_str("iban")}, "tenant='t1' AND rule='iban' AND is_open"},
        {{.rule = span_str("iban"), .states = REVIEW_ITEMS_CLOSED}, "rule='iban' AND NOT is_open"},
        {{.rule = span_str("none")}, "rule='none'"},
        {{.assignee = span_str("anna")}, "assignee='anna' AND state=1"},
        {{.states = REVIEW_ITEMS_CLAIMED, .tenant = span_str("t2")}, "state=1 AND tenant='t2'"},
        {{.why = REVIEW_SAMPLE}, "why=5 AND is_open"},
        {{.why = REVIEW_RULE_SAMPLE}, "why=6 AND is_open"},
        {{.why = REVIEW_EVENT, .tenant = span_str("t1")}, "why=4 AND is_open AND tenant='t1'"},
        {{.is_overdue = true, .now_ms = early}, "is_open AND due<%lld AND 1"},
        {{.is_overdue = true, .now_ms = early, .tenant = span_str("t0")}, "is_open AND due<%lld AND tenant='t0'"},
        {{.is_overdue = true, .now_ms = early, .rule = span_str("iban")}, "is_open AND due<%lld AND rule='iban'"},
        {{.is_overdue = true, .now_ms = late}, "is_open AND due<%lld AND 1"},
    };

    (void)state;
    write_lines(1, 4000);
    bring_up(live_path, false);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char where[256], sql[320];
        (void)snprintf(where, sizeof(where), cases[i].sql, (long long)cases[i].q.now_ms);
        (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM item WHERE %s", where);
        if (page_through(&cases[i].q) != count_rows(sql)) {
            fail_msg("%s: %d, not %d", where, (int)page_through(&cases[i].q), (int)count_rows(sql));
        }
    }
}

static void nothing_of_another_tenant_is_found(void **state)
{
    struct review_item item;
    struct review_group g;
    struct error err;

    (void)state;
    write_lines(1, 200);
    bring_up(live_path, false);
    struct review_reader *r = review_reader_open(live_path, &err);
    must(r != NULL, &err);
    for (uint64_t seq = 1; seq <= 200; seq++) {
        if (!review_item_at(r, seq, span_of(NULL, 0), &item, &err)) {
            assert_int_equal(err.kind, ERROR_NOT_FOUND);
            continue;
        }
        assert_false(review_item_at(r, seq, span_str("tx"), &item, &err));
        assert_int_equal(err.kind, ERROR_NOT_FOUND);
        must(review_item_at(r, seq, span_str(item.words[REVIEW_TENANT]), &item, &err), &err);
        assert_true(item.group_row == 0 || !review_group_at(r, item.group, span_str("tx"), &g, &err));
    }
    review_reader_close(r);
}

static bool take_pair(void *context, const struct review_agreement *pair, struct error *err)
{
    struct review_agreement *out = context;

    (void)err;
    *out = *pair;
    return true;
}

/* Two items on which anna and ben agree, one on which they do not. */
static void agreement_is_cohens(void **state)
{
    static const char *const said[3][2] = {{"benign", "benign"}, {"benign", "benign"}, {"unsure", "benign"}};
    struct review_agreement pair = {0};
    FILE *file = fopen(log_path, "w");
    struct error err;
    unsigned seq = 1;

    (void)state;
    assert_non_null(file);
    (void)fprintf(file, "{\"seq\":1,\"type\":\"log\",\"origin\":\"%s\"}\n", ORIGIN);
    for (unsigned i = 0; i < 3; i++) {
        unsigned item = ++seq;
        (void)fprintf(file, "{\"seq\":%u,\"type\":\"decision\",\"action\":\"block\",\"review\":{\"why\":\"action\",\"due_s\":1,\"reviewers\":2}}\n",
                      item);
        for (unsigned k = 0; k < 2; k++) {
            (void)fprintf(file, "{\"seq\":%u,\"type\":\"review\",\"step\":\"dispose\",\"item\":%u,\"disposition\":\"%s\",\"by\":\"%s\"}\n", ++seq,
                          item, said[i][k], people[(i + k) % 2]);
        }
    }
    assert_int_equal(fclose(file), 0);
    bring_up(live_path, false);
    struct review_reader *r = review_reader_open(live_path, &err);
    must(r != NULL && review_agreements(r, span_of(NULL, 0), take_pair, &pair, &err), &err);
    assert_int_equal(pair.n, 3);
    assert_int_equal(pair.n_same, 2);
    assert_true(pair.kappa > -0.001 && pair.kappa < 0.001); /* ben said benign each time: agreement is what chance gives */
    review_reader_close(r);
}

/* A decision with that value, which two people have to review, as line `seq`; its group's id into `group`. */
static void put_decision(FILE *file, unsigned seq, uint8_t group[REVIEW_GROUP])
{
    struct review_candidate c;
    struct arena memory;
    char line[512];

    int n = snprintf(line, sizeof(line),
                     "{\"seq\":%u,\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"decision\",\"ts\":\"2026-01-01T00:00:%02u.000000000Z\","
                     "\"policy\":{\"name\":\"default\",\"digest\":\"sha256:00\"},\"action\":\"block\",\"rule\":\"iban\","
                     "\"review\":{\"why\":\"action\",\"due_s\":1,\"reviewers\":2},\"findings\":[{\"rule\":\"iban\",\"severity\":\"high\","
                     "\"path\":\"/0\",\"score\":0.9,\"action\":\"block\",\"value_tok\":\"k1:%032x\"}]}",
                     seq, seq, 7U);
    arena_init(&memory, 0, 65536);
    assert_true(review_candidate_read(span_of(line, (size_t)n), &memory, &c) && c.has_group);
    memcpy(group, c.group, REVIEW_GROUP);
    arena_deinit(&memory);
    (void)fprintf(file, "%s\n", line);
}

static void put_disposition(FILE *file, unsigned seq, const char *by, const uint8_t group[REVIEW_GROUP])
{
    (void)fprintf(file, "{\"seq\":%u,\"type\":\"review\",\"ts\":\"2026-01-01T00:00:%02u.000000000Z\",\"step\":\"dispose\",\"group\":\"", seq, seq);
    for (unsigned i = 0; i < REVIEW_GROUP; i++) {
        (void)fprintf(file, "%02x", group[i]);
    }
    (void)fprintf(file, "\",\"disposition\":\"benign\",\"by\":\"%s\"}\n", by);
}

/* One of two who disposes of a group keeps no later hit from being an item. */
static void a_group_closes_with_its_items(void **state)
{
    static const struct {
        unsigned seq;
        const char *by; /* NULL: a decision */
        enum review_group_state state; /* of the group then */
    } lines[] = {{2, NULL, REVIEW_GROUP_OPEN}, {3, "anna", REVIEW_GROUP_OPEN}, {4, NULL, REVIEW_GROUP_OPEN},
                 {5, "ben", REVIEW_GROUP_OPEN}, {6, "anna", REVIEW_GROUP_CLOSED}, {7, NULL, REVIEW_GROUP_CLOSED}};
    uint8_t group[REVIEW_GROUP];
    struct review_group g;
    struct error err;
    FILE *file = fopen(log_path, "w");

    (void)state;
    assert_non_null(file);
    (void)fprintf(file, "{\"seq\":1,\"type\":\"log\",\"origin\":\"%s\"}\n", ORIGIN);
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (lines[i].by == NULL) {
            put_decision(file, lines[i].seq, group);
        } else {
            put_disposition(file, lines[i].seq, lines[i].by, group);
        }
        assert_int_equal(fflush(file), 0);
        bring_up(live_path, false);
        struct review_reader *r = review_reader_open(live_path, &err);
        must(r != NULL && review_group_at(r, group, span_of(NULL, 0), &g, &err), &err);
        assert_int_equal(g.state, lines[i].state);
        review_reader_close(r);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(g.n, 3);
    assert_int_equal(g.n_open, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_live_tables_are_those_made_of_the_lines, setup),
        cmocka_unit_test_setup(every_item_is_on_one_page, setup),
        cmocka_unit_test_setup(filters_find_what_there_is, setup),
        cmocka_unit_test_setup(nothing_of_another_tenant_is_found, setup),
        cmocka_unit_test_setup(agreement_is_cohens, setup),
        cmocka_unit_test_setup(a_group_closes_with_its_items, setup),
    };

    if (mkdtemp(folder) == NULL) {
        return 2;
    }
    int status = cmocka_run_group_tests(tests, NULL, empty_folder);
    (void)rmdir(folder);
    return status;
}
