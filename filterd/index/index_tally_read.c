/* index_tally_read.c - sums of tallies. */
#include "index/index_find.h"

static bool find_word(sqlite3 *db, enum index_word kind, struct span text, int64_t *id, struct error *err)
{
    sqlite3_stmt *s = NULL;

    *id = -1; /* of no row */
    if (text.ptr == NULL || !index_prepare(db, "SELECT id FROM word WHERE kind=?1 AND text=?2", &s, err)) {
        return text.ptr == NULL;
    }
    (void)sqlite3_bind_int(s, 1, (int)kind);
    (void)sqlite3_bind_text(s, 2, text.ptr, (int)text.len, SQLITE_STATIC);
    int code = sqlite3_step(s);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(db, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

static struct span column_text(sqlite3_stmt *s, int i)
{
    const char *text = (const char *)sqlite3_column_text(s, i);

    return text == NULL ? span_of("", 0) : span_of(text, (size_t)sqlite3_column_bytes(s, i));
}

/* What is not asked for is one for all rows. */
static const char sql[] =
    "SELECT CASE WHEN ?1&1 THEN t.hour ELSE 0 END AS h, CASE WHEN ?1&2 THEN t.tenant ELSE 0 END AS w,"
    " CASE WHEN ?1&4 THEN t.rule ELSE 0 END AS u, CASE WHEN ?1&8 THEN t.action ELSE -1 END AS a, sum(t.n),"
    " (SELECT text FROM word WHERE ?1&2 AND id=t.tenant), (SELECT text FROM word WHERE ?1&4 AND id=t.rule)"
    " FROM tally t WHERE t.hour>=?2 AND t.hour<?3 AND (?4 IS NULL OR t.tenant=?4) AND (?5 IS NULL OR t.rule=?5)"
    " AND (?6<0 OR t.action=?6) GROUP BY h, w, u, a ORDER BY h, 6, 7, a LIMIT ?7";

static bool take_rows(struct index_reader *r, sqlite3_stmt *s, index_tally_fn *take, void *context, struct error *err)
{
    int code = SQLITE_ROW;

    for (unsigned n = 0; (code = sqlite3_step(s)) == SQLITE_ROW; n++) {
        const struct index_tally_row row = {.hour = sqlite3_column_int64(s, 0), .action = sqlite3_column_int(s, 3),
                                            .n = (uint64_t)sqlite3_column_int64(s, 4), .tenant = column_text(s, 5),
                                            .rule = column_text(s, 6)};
        if (n == INDEX_TALLY_ROWS) {
            return error_set(err, ERROR_LIMIT, "index: at most %d rows of a tally expected", INDEX_TALLY_ROWS);
        }
        if (!take(context, &row, err)) {
            return false;
        }
    }
    return code == SQLITE_DONE || index_fail(index_reader_db(r), err);
}

bool index_tally_read(struct index_reader *r, const struct index_tally_query *q, index_tally_fn *take, void *context,
                      struct error *err)
{
    sqlite3 *db = index_reader_db(r);
    sqlite3_stmt *s = NULL;
    int64_t tenant, rule;

    if (!find_word(db, INDEX_TENANT, q->tenant, &tenant, err) || !find_word(db, INDEX_RULE, q->rule, &rule, err) ||
        !index_prepare(db, sql, &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int(s, 1, (int)q->by);
    (void)sqlite3_bind_int64(s, 2, q->from_hour);
    (void)sqlite3_bind_int64(s, 3, q->end_hour);
    if (q->tenant.ptr != NULL) {
        (void)sqlite3_bind_int64(s, 4, tenant);
    }
    if (q->rule.ptr != NULL) {
        (void)sqlite3_bind_int64(s, 5, rule);
    }
    (void)sqlite3_bind_int(s, 6, q->action);
    (void)sqlite3_bind_int(s, 7, INDEX_TALLY_ROWS + 1);
    bool is_read = take_rows(r, s, take, context, err);
    (void)sqlite3_finalize(s);
    return is_read;
}
