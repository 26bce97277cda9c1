#include "review/quality_find.h"

#include <stdio.h>

_Static_assert(REVIEW_SAMPLE == 5 && REVIEW_RULE_SAMPLE == 6, "the numbers are in SQL statements and in partial indexes");

#define OF_TENANT " AND (?2 IS NULL OR tenant=?2)"
/* Whole days from ?3 on, and what is before them from ?4 on. Newest digest first. */
static const char rows_sql[] =
    "SELECT digest, disposition, sum(n), max(last) FROM quality WHERE is_sample=0 AND rule=?1 AND day>=?3" OF_TENANT " AND n>0 GROUP BY 1, 2"
    " UNION ALL SELECT digest, disposition, count(*), max(ts) FROM item INDEXED BY item_quality WHERE rule=?1 AND ts>=?4 AND ts<?5" OF_TENANT
    " AND is_open=0 AND why NOT IN (5,6) AND disposition<>0 GROUP BY 1, 2 ORDER BY 4 DESC";
static const char samples_sql[] =
    "SELECT disposition, sum(n) FROM quality WHERE is_sample=1 AND rule='' AND day>=?3" OF_TENANT " GROUP BY 1"
    " UNION ALL SELECT disposition, count(*) FROM item INDEXED BY item_sample WHERE why=5 AND ts>=?4 AND ts<?5" OF_TENANT
    " AND is_open=0 GROUP BY 1";
static const char rule_samples_sql[] =
    "SELECT disposition, sum(n) FROM quality WHERE is_sample=2 AND rule=?1 AND day>=?3" OF_TENANT " GROUP BY 1"
    " UNION ALL SELECT disposition, count(*) FROM item INDEXED BY item_quality WHERE rule=?1 AND ts>=?4 AND ts<?5" OF_TENANT
    " AND is_open=0 AND why=6 GROUP BY 1";
static const char counts_sql[] = "SELECT disposition, sum(n) FROM quality WHERE is_sample=0 AND rule=?1 AND day>=?3" OF_TENANT " GROUP BY 1";

static struct quality_row *row_of(struct quality *q, const char *digest)
{
    for (size_t i = 0; i < q->n_rows; i++) {
        if (strcmp(q->rows[i].digest, digest) == 0) {
            return &q->rows[i];
        }
    }
    if (q->n_rows == QUALITY_DIGESTS_MAX) {
        return NULL;
    }
    struct quality_row *row = &q->rows[q->n_rows++];
    *row = (struct quality_row){.last_ms = 0};
    (void)snprintf(row->digest, sizeof(row->digest), "%s", digest);
    return row;
}

static void add(struct quality_row *row, unsigned disposition, uint64_t n, int64_t last_ms)
{
    if (row != NULL) {
        row->n[disposition] += n;
        row->last_ms = last_ms > row->last_ms ? last_ms : row->last_ms;
    }
}

static bool find_rows(sqlite3 *db, sqlite3_stmt *s, struct quality *out, struct error *err)
{
    int code;

    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        unsigned disposition = (unsigned)sqlite3_column_int(s, 1);
        uint64_t n = (uint64_t)sqlite3_column_int64(s, 2);
        if (disposition < ITEM_DISPOSITIONS) {
            add(row_of(out, (const char *)sqlite3_column_text(s, 0)), disposition, n, sqlite3_column_int64(s, 3));
            add(&out->all, disposition, n, sqlite3_column_int64(s, 3));
        }
    }
    return code == SQLITE_DONE || index_fail(db, err);
}

/* A sample that should have been acted on is a miss; unsure is not counted. */
static bool find_samples(sqlite3 *db, sqlite3_stmt *s, struct quality_samples *out, struct error *err)
{
    int code;

    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        unsigned disposition = (unsigned)sqlite3_column_int(s, 0);
        uint64_t n = (uint64_t)sqlite3_column_int64(s, 1);
        bool is_miss = disposition == ITEM_TRUE_POSITIVE || disposition == ITEM_POLICY_GAP;
        out->missed += is_miss ? n : 0;
        out->n += disposition != ITEM_UNDISPOSED && disposition != ITEM_UNSURE ? n : 0;
    }
    return code == SQLITE_DONE || index_fail(db, err);
}

/* Parameters that a statement lacks are skipped. */
static void bind(sqlite3_stmt *s, struct span rule, struct span tenant, int64_t first_day, int64_t since_ms)
{
    (void)sqlite3_bind_text(s, 1, rule.len == 0 ? "" : rule.ptr, (int)rule.len, SQLITE_STATIC);
    if (tenant.ptr != NULL) {
        (void)sqlite3_bind_text(s, 2, tenant.ptr, (int)tenant.len, SQLITE_STATIC);
    }
    (void)sqlite3_bind_int64(s, 3, first_day);
    (void)sqlite3_bind_int64(s, 4, since_ms);
    (void)sqlite3_bind_int64(s, 5, first_day * REVIEW_DAY_MS);
}

bool quality_find(struct review_reader *r, struct span rule, struct span tenant, int64_t since_ms, struct quality *out,
                  struct error *err)
{
    int64_t day = review_day(since_ms), first_day = day + (day * REVIEW_DAY_MS != since_ms);
    sqlite3 *db = review_reader_db(r);
    sqlite3_stmt *rows = NULL, *samples = NULL, *of_rule = NULL;

    *out = (struct quality){.n_rows = 0};
    bool is_read = index_prepare(db, rows_sql, &rows, err) && index_prepare(db, samples_sql, &samples, err) &&
                   index_prepare(db, rule_samples_sql, &of_rule, err);
    if (is_read) {
        bind(rows, rule, tenant, first_day, since_ms);
        bind(samples, rule, tenant, first_day, since_ms);
        bind(of_rule, rule, tenant, first_day, since_ms);
        is_read = find_rows(db, rows, out, err) && find_samples(db, samples, &out->samples, err) &&
                  find_samples(db, of_rule, &out->rule_samples, err);
    }
    (void)sqlite3_finalize(rows);
    (void)sqlite3_finalize(samples);
    (void)sqlite3_finalize(of_rule);
    return is_read;
}

static bool count(sqlite3 *db, sqlite3_stmt *s, uint64_t out[ITEM_DISPOSITIONS], struct error *err)
{
    int code;

    memset(out, 0, ITEM_DISPOSITIONS * sizeof(out[0]));
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        unsigned disposition = (unsigned)sqlite3_column_int(s, 0);
        if (disposition < ITEM_DISPOSITIONS) {
            out[disposition] = (uint64_t)sqlite3_column_int64(s, 1);
        }
    }
    (void)sqlite3_reset(s);
    return code == SQLITE_DONE || index_fail(db, err);
}

bool quality_of_rules(struct review_reader *r, const struct span *rules, size_t n, struct span tenant, int64_t since_ms,
                      uint64_t (*out)[ITEM_DISPOSITIONS], struct error *err)
{
    sqlite3 *db = review_reader_db(r);
    sqlite3_stmt *s = NULL;
    bool is_read = index_prepare(db, counts_sql, &s, err);

    for (size_t i = 0; is_read && i < n; i++) {
        bind(s, rules[i], tenant, review_day(since_ms), since_ms);
        is_read = count(db, s, out[i], err);
    }
    (void)sqlite3_finalize(s);
    return is_read;
}

bool quality_row_suggests_shadow(const struct quality *q)
{
    const struct quality_row *newest = q->n_rows == 0 ? &q->all : &q->rows[0];
    bool is_enough = newest->n[ITEM_TRUE_POSITIVE] + newest->n[ITEM_FALSE_POSITIVE] >= QUALITY_SHADOW_MIN;
    const struct quality_row *row = is_enough ? newest : &q->all;

    return quality_suggests_shadow(row->n[ITEM_TRUE_POSITIVE], row->n[ITEM_FALSE_POSITIVE]);
}
