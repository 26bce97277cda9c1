/* review_counts.c - counts of the queue and reviewer agreement; see review_find.h. */
#include <stdio.h>

#include "review/review_find.h"

/* One number; the statement has the tenant as ?1, where there is one. */
static bool read_number(struct review_reader *r, const char *sql, struct span tenant, const int64_t *second, int64_t *out,
                        struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(review_reader_db(r), sql, &s, err)) {
        return false;
    }
    if (tenant.ptr != NULL) {
        (void)sqlite3_bind_text(s, 1, tenant.ptr, (int)tenant.len, SQLITE_STATIC);
    }
    if (second != NULL) {
        (void)sqlite3_bind_int64(s, 2, *second);
    }
    bool is_read = sqlite3_step(s) == SQLITE_ROW || index_fail(review_reader_db(r), err);
    *out = is_read ? sqlite3_column_int64(s, 0) : 0;
    (void)sqlite3_finalize(s);
    return is_read;
}

static bool count_states(struct review_reader *r, struct span tenant, struct review_counts *out, struct error *err)
{
    static const char *const all = "SELECT coalesce(sum(n), 0) FROM standing WHERE state=?2";
    static const char *const one = "SELECT coalesce(sum(n), 0) FROM standing WHERE tenant=?1 AND state=?2";

    for (int64_t state = 0; state < ITEM_STATES; state++) {
        int64_t n;
        if (!read_number(r, tenant.ptr == NULL ? all : one, tenant, &state, &n, err)) {
            return false;
        }
        out->n[state] = (uint64_t)n;
    }
    return true;
}

/* The lowest number of an open item is the oldest one's: lines are in the order of time. */
static bool find_oldest(struct review_reader *r, struct span tenant, int64_t *out, struct error *err)
{
    static const char *const all = "SELECT coalesce(min(ts), 0) FROM item WHERE seq IN"
                                   " (SELECT (SELECT min(seq) FROM item INDEXED BY item_age WHERE is_open=1 AND tenant=s.tenant) FROM standing s GROUP BY s.tenant)";
    static const char *const one = "SELECT coalesce(min(ts), 0) FROM item WHERE seq=(SELECT min(seq) FROM item WHERE is_open=1 AND tenant=?1)";

    return read_number(r, tenant.ptr == NULL ? all : one, tenant, NULL, out, err);
}

bool review_count_overdue(struct review_reader *r, struct span tenant, int64_t now_ms, unsigned max, uint64_t *out, struct error *err)
{
    int64_t n = 0;
    char sql[256];

    (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM (SELECT 1 FROM item INDEXED BY %s WHERE is_open=1 AND %s due<?2 LIMIT %u)",
                   tenant.ptr == NULL ? "item_due" : "item_tenant_due", tenant.ptr == NULL ? "" : "tenant=?1 AND", max);
    bool is_read = read_number(r, sql, tenant, &now_ms, &n, err);
    *out = (uint64_t)n;
    return is_read;
}

bool review_counts(struct review_reader *r, struct span tenant, int64_t now_ms, struct review_counts *out, struct error *err)
{
    *out = (struct review_counts){.n_overdue = 0};
    return count_states(r, tenant, out, err) && review_count_overdue(r, tenant, now_ms, REVIEW_COUNT_MAX, &out->n_overdue, err) &&
           find_oldest(r, tenant, &out->oldest_ms, err);
}

/* --- lines ---------------------------------------------------------------------- */

static bool read_last(struct review_reader *r, sqlite3_stmt *s, uint64_t *line, struct error *err)
{
    bool is_read = sqlite3_step(s) == SQLITE_ROW || index_fail(review_reader_db(r), err);
    uint64_t last = is_read ? (uint64_t)sqlite3_column_int64(s, 0) : 0;

    *line = last > *line ? last : *line;
    (void)sqlite3_reset(s);
    return is_read;
}

bool review_last_step(struct review_reader *r, const uint64_t *items, size_t n, const uint8_t group[REVIEW_GROUP], uint64_t *line,
                      struct error *err)
{
    const char *sql = n > 0 ? "SELECT max(seq) FROM step WHERE item=?1"
                            : "SELECT max(seq) FROM grp_step WHERE grp=(SELECT row FROM grp WHERE id=?1)";
    sqlite3_stmt *s = NULL;

    *line = 0;
    if (!index_prepare(review_reader_db(r), sql, &s, err)) {
        return false;
    }
    bool is_read = true;
    if (n == 0) {
        (void)sqlite3_bind_blob(s, 1, group, REVIEW_GROUP, SQLITE_STATIC);
        is_read = read_last(r, s, line, err);
    }
    for (size_t i = 0; is_read && i < n; i++) {
        (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)items[i]);
        is_read = read_last(r, s, line, err);
    }
    (void)sqlite3_finalize(s);
    return is_read;
}

bool review_ordered(struct review_reader *r, struct span id, uint64_t *line, struct error *err)
{
    sqlite3_stmt *s = NULL;

    *line = 0;
    if (!index_prepare(review_reader_db(r), "SELECT max(seq) FROM ordered WHERE id=?1", &s, err)) {
        return false;
    }
    (void)sqlite3_bind_text(s, 1, id.ptr, (int)id.len, SQLITE_STATIC);
    bool is_read = read_last(r, s, line, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

bool review_changed_by(struct review_reader *r, uint64_t line, uint64_t *n, struct error *err)
{
    const int64_t last = (int64_t)line;
    int64_t count = 0;
    bool is_read = read_number(r, "SELECT count(*) FROM item WHERE last=?2 AND last!=0", span_of(NULL, 0), &last, &count, err);

    *n = (uint64_t)count;
    return is_read;
}

/* --- agreement ------------------------------------------------------------------ */

struct pair {
    char first[ITEM_NAME + 1], second[ITEM_NAME + 1];
    uint64_t n[ITEM_DISPOSITIONS][ITEM_DISPOSITIONS];
};

static bool give(const struct pair *p, review_agreement_fn *take, void *context, struct error *err)
{
    struct review_agreement a = {.first = p->first, .second = p->second};
    double expected = 0;

    for (size_t i = 0; i < ITEM_DISPOSITIONS; i++) {
        for (size_t k = 0; k < ITEM_DISPOSITIONS; k++) {
            a.n += p->n[i][k];
            a.n_same += i == k ? p->n[i][k] : 0;
        }
    }
    if (a.n == 0) {
        return true;
    }
    for (size_t i = 0; i < ITEM_DISPOSITIONS; i++) {
        uint64_t by_first = 0, by_second = 0;
        for (size_t k = 0; k < ITEM_DISPOSITIONS; k++) {
            by_first += p->n[i][k];
            by_second += p->n[k][i];
        }
        expected += (double)by_first / (double)a.n * ((double)by_second / (double)a.n);
    }
    double same = (double)a.n_same / (double)a.n;
    a.kappa = expected >= 1 ? 1 : (same - expected) / (1 - expected);
    return take(context, &a, err);
}

/* The names of a pair are sorted, so that a pair has one key. */
static const char pairs_sql[] =
    "SELECT min(a.who, b.who), max(a.who, b.who), CASE WHEN a.who<b.who THEN a.said ELSE b.said END,"
    " CASE WHEN a.who<b.who THEN b.said ELSE a.said END, count(*)"
    " FROM opinion b INDEXED BY opinion_second CROSS JOIN opinion a ON a.item=b.item AND a.n<b.n%s WHERE b.n>0"
    " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2";

/* Each pair's rows are next to each other. */
static bool take_row(sqlite3_stmt *s, struct pair *p, review_agreement_fn *take, void *context, struct error *err)
{
    const char *first = (const char *)sqlite3_column_text(s, 0), *second = (const char *)sqlite3_column_text(s, 1);
    unsigned by_first = (unsigned)sqlite3_column_int(s, 2), by_second = (unsigned)sqlite3_column_int(s, 3);

    if (first == NULL || second == NULL || by_first >= ITEM_DISPOSITIONS || by_second >= ITEM_DISPOSITIONS) {
        return true;
    }
    if (strcmp(first, p->first) != 0 || strcmp(second, p->second) != 0) {
        if (!give(p, take, context, err)) {
            return false;
        }
        *p = (struct pair){.n = {{0}}};
        (void)snprintf(p->first, sizeof(p->first), "%s", first);
        (void)snprintf(p->second, sizeof(p->second), "%s", second);
    }
    p->n[by_first][by_second] += (uint64_t)sqlite3_column_int64(s, 4);
    return true;
}

bool review_agreements(struct review_reader *r, struct span tenant, review_agreement_fn *take, void *context, struct error *err)
{
    sqlite3 *db = review_reader_db(r);
    struct pair p = {.n = {{0}}};
    sqlite3_stmt *s = NULL;
    char sql[640];
    int code = SQLITE_DONE;

    (void)snprintf(sql, sizeof(sql), pairs_sql, tenant.ptr == NULL ? "" : " JOIN item i ON i.seq=b.item AND i.tenant=?1");
    if (!index_prepare(db, sql, &s, err)) {
        return false;
    }
    if (tenant.ptr != NULL) {
        (void)sqlite3_bind_text(s, 1, tenant.ptr, (int)tenant.len, SQLITE_STATIC);
    }
    bool is_good = true;
    while (is_good && (code = sqlite3_step(s)) == SQLITE_ROW) {
        is_good = take_row(s, &p, take, context, err);
    }
    if (is_good && code != SQLITE_DONE) {
        is_good = index_fail(db, err);
    }
    (void)sqlite3_finalize(s);
    return is_good && give(&p, take, context, err);
}
