/* test_preview.c - what an exception would have let through: of its rule, tenant and scope alone, in the last 30 days. */
#include "testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/index_fold.h"
#include "review/preview.h"

#define TOKEN_A "e1-aa:00112233445566778899aabbccddeeff"
#define TOKEN_B "e1-aa:ffeeddccbbaa99887766554433221100"

static char folder[40], index_path[64], review_path[64];
static struct index_store index_store, review_store;
static struct index_fold *fold;
static struct error err;
static uint64_t seq;
static int64_t file;
static const int64_t now_ms = INT64_C(1795435200000); /* 2026-11-23T12:00:00Z */

static int set_up(void **state)
{
    static const struct tree_hash first = {.bytes = {0}};

    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/filterd-preview-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(index_path, sizeof(index_path), "%s/index.db", folder);
    (void)snprintf(review_path, sizeof(review_path), "%s/review.db", folder);
    seq = 0;
    bool is_open = index_store_open(&index_store, &index_schema, index_path, &err) &&
                   index_store_open(&review_store, &review_schema, review_path, &err);
    fold = is_open ? index_fold_new(&index_store, &err) : NULL;
    return fold != NULL && index_fold_file(fold, "decisions.jsonl", 1, &first, &file, &err) ? 0 : -1;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"index.db", "index.db-wal", "index.db-shm", "index.db.lock",
                                        "review.db", "review.db-wal", "review.db-shm", "review.db.lock"};
    char name[96];

    (void)state;
    index_fold_free(fold);
    index_store_close(&index_store);
    index_store_close(&review_store);
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(name, sizeof(name), "%s/%s", folder, names[i]);
        (void)unlink(name);
    }
    return rmdir(folder);
}

struct made {
    const char *day, *who, *rule, *action, *token; /* who: members of the line */
    enum item_disposition disposition;             /* of its item; ITEM_UNDISPOSED: it has none */
};

static void add(struct made m)
{
    char line[1024], sql[512];

    (void)snprintf(line, sizeof(line),
                   "{\"seq\":%" PRIu64 ",\"v\":2,\"type\":\"decision\",\"ts\":\"%sT00:00:00.000000000Z\",%s,\"action\":\"%s\",\"rule\":\"%s\","
                   "\"findings\":[{\"rule\":\"%s\",\"action\":\"%s\",\"score\":0.9,\"value_tok\":\"%s\"}]}",
                   ++seq, m.day, m.who, m.action, m.rule, m.rule, m.action, m.token);
    if (!index_fold_add(fold, span_str(line), file, seq * 2048, &err)) {
        fail_msg("%s", err.text);
    }
    if (m.disposition == ITEM_UNDISPOSED) {
        return;
    }
    (void)snprintf(sql, sizeof(sql), "INSERT INTO item VALUES(%" PRIu64 ",%" PRId64 ",0,NULL,1,0,0,0,0,0,0,0,0,0,'acme','','','%s','','d',1,0,2,%d,'',0,1,0,0,'',0)",
                   seq, now_ms - 1000, m.rule, (int)m.disposition);
    assert_true(index_execute(review_store.db, sql, &err));
}

static struct exception_preview preview(enum exception_width width, const char *tenant, const char *text)
{
    struct exception_scope s = {.rule = "key", .width = width};
    struct exception_preview out;

    (void)snprintf(s.tenant, sizeof(s.tenant), "%s", tenant);
    (void)snprintf(s.text, sizeof(s.text), "%s", text);
    struct index_reader *index = index_reader_open(index_path, folder, &err);
    struct review_reader *review = review_reader_open(review_path, &err);
    assert_true(index != NULL && review != NULL);
    if (!exception_preview(index, review, &s, now_ms, &out, &err)) {
        fail_msg("%s", err.text);
    }
    index_reader_close(index);
    review_reader_close(review);
    return out;
}

static void it_counts_its_own_scope(void **state)
{
#define ACME "\"tenant\":\"acme\",\"app\":\"web\""
    (void)state;
    add((struct made){"2026-10-01", ACME, "key", "redact", TOKEN_A, ITEM_UNDISPOSED}); /* too long ago */
    add((struct made){"2026-11-20", ACME, "key", "redact", TOKEN_A, ITEM_TRUE_POSITIVE});
    add((struct made){"2026-11-20", ACME, "key", "block", TOKEN_A, ITEM_FALSE_POSITIVE});
    add((struct made){"2026-11-20", ACME, "key", "allow", TOKEN_A, ITEM_UNDISPOSED}); /* nothing was withheld */
    add((struct made){"2026-11-20", ACME, "mail", "redact", TOKEN_A, ITEM_TRUE_POSITIVE});
    add((struct made){"2026-11-20", ACME, "key", "redact", TOKEN_B, ITEM_TRUE_POSITIVE});
    add((struct made){"2026-11-20", "\"tenant\":\"acme\",\"app\":\"batch\"", "key", "redact", TOKEN_B, ITEM_UNDISPOSED});
    add((struct made){"2026-11-20", "\"tenant\":\"acme\"", "key", "redact", TOKEN_B, ITEM_UNDISPOSED});
    add((struct made){"2026-11-20", "\"tenant\":\"other\",\"app\":\"web\"", "key", "redact", TOKEN_A, ITEM_UNDISPOSED});
    add((struct made){"2026-11-20", "\"app\":\"web\"", "key", "redact", TOKEN_A, ITEM_UNDISPOSED});
    assert_true(index_fold_commit(fold, "node/filterd/1", &err));
    static const struct {
        enum exception_width width;
        const char *tenant, *text;
        unsigned findings, confirmed;
    } cases[] = {
        {EXCEPTION_VALUE, "acme", TOKEN_A, 2, 1},   {EXCEPTION_VALUE, "acme", TOKEN_B, 3, 1}, {EXCEPTION_VALUE, "other", TOKEN_A, 1, 0},
        {EXCEPTION_VALUE, "none", TOKEN_A, 0, 0},   {EXCEPTION_APP, "acme", "web", 3, 2},     {EXCEPTION_APP, "acme", "batch", 1, 0},
        {EXCEPTION_APP, "acme", "none", 0, 0},      {EXCEPTION_PATTERN, "acme", "x", 5, 2},   {EXCEPTION_PATTERN, "", "x", 1, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct exception_preview p = preview(cases[i].width, cases[i].tenant, cases[i].text);
        if (p.findings != cases[i].findings || p.confirmed != cases[i].confirmed || p.is_cut) {
            fail_msg("case %zu: %" PRIu64 " findings, %" PRIu64 " confirmed", i, p.findings, p.confirmed);
        }
    }
}

static void what_is_cut_says_so(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PREVIEW_ROWS_MAX + 10; i++) {
        add((struct made){"2026-11-20", ACME, "key", "redact", TOKEN_A, ITEM_UNDISPOSED});
    }
    assert_true(index_fold_commit(fold, "node/filterd/1", &err));
    struct exception_preview p = preview(EXCEPTION_APP, "acme", "web");
    assert_true(p.is_cut);
    assert_int_equal(p.findings, PREVIEW_ROWS_MAX);
    assert_false(preview(EXCEPTION_VALUE, "acme", TOKEN_B).is_cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_counts_its_own_scope, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_cut_says_so, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
