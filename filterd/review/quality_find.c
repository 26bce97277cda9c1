#include "review/quality_find.h"

#include <stdio.h>

_Static_assert(REVIEW_SAMPLE == 5, "the number is in SQL statements and in a partial index");

/* Newest first; of one index, which has all that is asked for. */
static const char rows_sql[] = "SELECT digest, ts, disposition FROM item WHERE rule=?1 AND ts>=?2 AND (?3 IS NULL OR tenant=?3)"
                               " AND is_open=0 AND why<>?4 AND disposition<>0 ORDER BY ts DESC LIMIT ?5";
static const char samples_sql[] = "SELECT disposition, count(*) FROM item WHERE why=5 AND ts>=?2 AND (?3 IS NULL OR tenant=?3)"
                                  " AND is_open=0 GROUP BY disposition";

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

static void add(struct quality_row *row, unsigned disposition, int64_t ts_ms)
{
    if (row != NULL) {
        row->n[disposition]++;
        row->last_ms = ts_ms > row->last_ms ? ts_ms : row->last_ms;
    }
}

static bool find_rows(sqlite3 *db, sqlite3_stmt *s, struct quality *out, struct error *err)
{
    unsigned n = 0;
    int code;

    for (; (code = sqlite3_step(s)) == SQLITE_ROW; n++) {
        unsigned disposition = (unsigned)sqlite3_column_int(s, 2);
        if (disposition < ITEM_DISPOSITIONS) {
            add(row_of(out, (const char *)sqlite3_column_text(s, 0)), disposition, sqlite3_column_int64(s, 1));
            add(&out->all, disposition, sqlite3_column_int64(s, 1));
        }
    }
    out->is_cut = n == QUALITY_ROWS_MAX;
    return code == SQLITE_DONE || index_fail(db, err);
}

/* A sample that should have been acted on is a miss; unsure is not counted. */
static bool find_samples(sqlite3 *db, sqlite3_stmt *s, struct quality *out, struct error *err)
{
    int code;

    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        unsigned disposition = (unsigned)sqlite3_column_int(s, 0);
        uint64_t n = (uint64_t)sqlite3_column_int64(s, 1);
        bool is_miss = disposition == ITEM_TRUE_POSITIVE || disposition == ITEM_POLICY_GAP;
        out->missed += is_miss ? n : 0;
        out->sampled += disposition != ITEM_UNDISPOSED && disposition != ITEM_UNSURE ? n : 0;
    }
    return code == SQLITE_DONE || index_fail(db, err);
}

static void bind_tenant(sqlite3_stmt *s, struct span tenant)
{
    if (tenant.ptr != NULL) {
        (void)sqlite3_bind_text(s, 3, tenant.ptr, (int)tenant.len, SQLITE_STATIC);
    }
}

bool quality_find(struct review_reader *r, struct span rule, struct span tenant, int64_t since_ms, struct quality *out,
                  struct error *err)
{
    sqlite3 *db = review_reader_db(r);
    sqlite3_stmt *rows = NULL, *samples = NULL;

    *out = (struct quality){.n_rows = 0};
    bool is_read = index_prepare(db, rows_sql, &rows, err) && index_prepare(db, samples_sql, &samples, err);
    if (is_read) {
        (void)sqlite3_bind_text(rows, 1, rule.ptr, (int)rule.len, SQLITE_STATIC);
        (void)sqlite3_bind_int64(rows, 2, since_ms);
        bind_tenant(rows, tenant);
        (void)sqlite3_bind_int(rows, 4, REVIEW_SAMPLE);
        (void)sqlite3_bind_int(rows, 5, QUALITY_ROWS_MAX);
        (void)sqlite3_bind_int64(samples, 2, since_ms);
        bind_tenant(samples, tenant);
        is_read = find_rows(db, rows, out, err) && find_samples(db, samples, out, err);
    }
    (void)sqlite3_finalize(rows);
    (void)sqlite3_finalize(samples);
    return is_read;
}

bool quality_row_suggests_shadow(const struct quality *q)
{
    const struct quality_row *newest = q->n_rows == 0 ? &q->all : &q->rows[0];
    bool is_enough = newest->n[ITEM_TRUE_POSITIVE] + newest->n[ITEM_FALSE_POSITIVE] >= QUALITY_SHADOW_MIN;
    const struct quality_row *row = is_enough ? newest : &q->all;

    return quality_suggests_shadow(row->n[ITEM_TRUE_POSITIVE], row->n[ITEM_FALSE_POSITIVE]);
}
