/* index_testing.h - random lines of a log, and what is in an index. */
#ifndef FILTERD_TESTS_INDEX_TESTING_H
#define FILTERD_TESTS_INDEX_TESTING_H

#include "unit/record/log_testing.h"

#include <inttypes.h>
#include <sqlite3.h>

#include "support/random.h"

static const char *const rules[] = {"iban", "aws-access-key-id", "filterd.unjudged", "phone"};
static const char *const verdicts[] = {"allow", "redact", "block"};
static const char *const grades[] = {"low", "medium", "high", "critical"};

enum { TOKENS = 40, LINES_MAX = 64 * 1024 * 1024 };

static struct random chance = {1};

static inline unsigned pick(unsigned n)
{
    return (unsigned)random_below(&chance, n);
}

static inline void append_finding(struct buf *out, unsigned i)
{
    struct error err;

    must(buf_appendf(out, &err,
                     "%s{\"source\":\"rule\",\"rule\":\"%s\",\"category\":\"%s\",\"severity\":\"%s\",\"channel\":0,\"start\":0,"
                     "\"end\":4,\"len\":4,\"view\":\"raw\",\"score\":0.%u,\"action\":\"%s\"",
                     i == 0 ? "" : ",", rules[pick(4)], pick(2) == 0 ? "secret" : "pii", grades[pick(4)],
                     pick(10000), verdicts[pick(3)]),
         &err);
    must((pick(3) == 0 || buf_appendf(out, &err, ",\"value_tok\":\"k1:%032x\"", pick(TOKENS))) &&
             buf_append_str(out, "}", &err),
         &err);
}

static inline void append_decision(struct buf *out, uint64_t seq)
{
    unsigned n = pick(4) == 0 ? 1 + pick(3) : 0, action = pick(8) < 6 ? 0 : 1 + pick(2);
    struct error err;

    must(buf_appendf(out, &err,
                     ",\"req_id\":\"%08" PRIx64 "-a580-7761-a879-d7f612f9f4cb\",\"tenant\":\"t%u\",\"app\":\"a\\u00e4%u\","
                     "\"agent\":\"agent-%u\",\"session\":\"k1:%032x\",\"policy\":{\"name\":\"p%u\",\"digest\":\"sha256:00\"},"
                     "\"engine\":\"0\",\"action\":\"%s\"",
                     seq / 2, pick(3), pick(3), pick(20), pick(100), pick(2),
                     verdicts[action]),
         &err);
    if (action > 0) {
        must(buf_appendf(out, &err, ",\"rule\":\"%s\"", rules[pick(4)]), &err);
    }
    must(buf_append_str(out, ",\"findings\":[", &err), &err);
    for (unsigned i = 0; i < n; i++) {
        append_finding(out, i);
    }
    must(buf_appendf(out, &err, "],\"input_tok\":\"k1:%032x\"", 1000 + pick(1000)), &err);
}

/* One line with its newline. Time goes on by about a minute a line, and back now and then. */
static inline void append_random_line(struct buf *out, uint64_t seq, const char *first)
{
    struct error err;
    uint64_t at = UINT64_C(1763700000) + seq * 60 - pick(10) * 100;
    time_t seconds = (time_t)at;
    char ts[40];
    struct tm t;

    (void)strftime(ts, sizeof(ts), "%Y-%m-%dT%H:%M:%S.123456789Z", gmtime_r(&seconds, &t));
    unsigned kind = pick(20);
    const char *type = first != NULL ? first : kind == 0 ? "agent" : kind == 1 ? "access" : "decision";
    must(buf_appendf(out, &err, "{\"seq\":%" PRIu64 ",\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"%s\",\"ts\":\"%s\"", seq,
                     type, ts),
         &err);
    if (first != NULL) {
        must(buf_appendf(out, &err, ",\"origin\":\"%s\"", ORIGIN), &err);
    } else if (kind == 0) {
        must(buf_appendf(out, &err, ",\"event\":\"kill\",\"tenant\":\"t1\",\"agent\":\"agent-%u\"", pick(20)), &err);
    } else if (kind == 1) {
        must(buf_appendf(out, &err, ",\"by\":\"anna\",\"role\":\"reviewer\",\"what\":\"list\",\"query\":\"agent:a\""), &err);
    } else {
        append_decision(out, seq);
    }
    must(buf_append_str(out, "}\n", &err), &err);
}

/* Lines `from` to `to`; the first of a log or a file says which log it is. */
static inline void append_lines(struct buf *out, uint64_t from, uint64_t to, bool begins_file)
{
    for (uint64_t seq = from; seq <= to; seq++) {
        append_random_line(out, seq, seq == 1 ? "log" : begins_file && seq == from ? "rotation" : NULL);
    }
}

static inline void append_row(struct buf *out, sqlite3_stmt *s)
{
    struct error err;

    for (int i = 0; i < sqlite3_column_count(s); i++) {
        const unsigned char *blob = sqlite3_column_blob(s, i);
        bool is_blob = sqlite3_column_type(s, i) == SQLITE_BLOB;
        must(is_blob || buf_appendf(out, &err, "%s|", sqlite3_column_text(s, i) == NULL ? "-" : (const char *)sqlite3_column_text(s, i)),
             &err);
        for (int k = 0; is_blob && k < sqlite3_column_bytes(s, i); k++) {
            must(buf_appendf(out, &err, "%02x", blob[k]), &err);
        }
    }
    must(buf_append_char(out, '\n', &err), &err);
}

/* All rows of a table, in the order of its key. */
static inline void dump_table(const char *path, const char *table, struct buf *out)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    char sql[128];

    (void)snprintf(sql, sizeof(sql), "SELECT * FROM %s ORDER BY 1, 2", table);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", table, sqlite3_errmsg(db));
    }
    buf_clear(out);
    while (sqlite3_step(s) == SQLITE_ROW) {
        append_row(out, s);
    }
    (void)sqlite3_finalize(s);
    (void)sqlite3_close(db);
}

#endif
