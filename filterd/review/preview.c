#include "review/preview.h"

static const int64_t day_ms = 24 * 3600 * 1000;

struct looking {
    sqlite3 *index, *review;
    const struct exception_scope *scope;
    int64_t since_ms;
    int64_t rule, tenant, app; /* numbers of words; 0: none of that text */
    bool has_token;
    uint8_t token[INDEX_TOKEN];
};

static bool find_word(sqlite3 *db, enum index_word kind, const char *text, int64_t *id, struct error *err)
{
    sqlite3_stmt *s = NULL;

    *id = 0;
    if (!index_prepare(db, "SELECT id FROM word WHERE kind=?1 AND text=?2", &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int(s, 1, (int)kind);
    (void)sqlite3_bind_text(s, 2, text, -1, SQLITE_STATIC);
    int code = sqlite3_step(s);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(db, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

static bool find_words(struct looking *l, struct error *err)
{
    const struct exception_scope *s = l->scope;

    l->has_token = s->width == EXCEPTION_VALUE && index_token_bytes(span_str(s->text), l->token);
    return find_word(l->index, INDEX_RULE, s->rule, &l->rule, err) && find_word(l->index, INDEX_TENANT, s->tenant, &l->tenant, err) &&
           (s->width != EXCEPTION_APP || find_word(l->index, INDEX_APP, s->text, &l->app, err));
}

/* The row's tenant and application; NULL where a line has none. */
static bool is_in_scope(const struct looking *l, sqlite3_stmt *s, int tenant, int app)
{
    return sqlite3_column_int64(s, tenant) == l->tenant && (l->tenant != 0 || l->scope->tenant[0] == '\0') &&
           (l->scope->width != EXCEPTION_APP || (l->app != 0 && sqlite3_column_int64(s, app) == l->app));
}

/* The newest first: what is older than the days ends it. */
static const char by_rule[] = "SELECT ts, tenant, app FROM finding WHERE rule=?1 AND action>0 ORDER BY seq DESC";
static const char by_token[] = "SELECT ts, tenant, app FROM finding WHERE value_tok=?2 AND rule=?1 AND action>0 ORDER BY seq DESC";

static bool count_findings(struct looking *l, struct exception_preview *out, struct error *err)
{
    bool is_value = l->scope->width == EXCEPTION_VALUE;
    sqlite3_stmt *s = NULL;
    unsigned rows = 0;
    int code = SQLITE_DONE;

    if (l->rule == 0 || (is_value && !l->has_token)) {
        return true;
    }
    if (!index_prepare(l->index, is_value ? by_token : by_rule, &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int64(s, 1, l->rule);
    if (is_value) {
        (void)sqlite3_bind_blob(s, 2, l->token, INDEX_TOKEN, SQLITE_STATIC);
    }
    while (rows < PREVIEW_ROWS_MAX && (code = sqlite3_step(s)) == SQLITE_ROW && sqlite3_column_int64(s, 0) >= l->since_ms) {
        out->findings += is_in_scope(l, s, 1, 2);
        rows++;
    }
    out->is_cut |= rows == PREVIEW_ROWS_MAX;
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(l->index, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

/* Whether the line has a finding that the exception would cover. */
static bool covers(const struct looking *l, sqlite3_stmt *s, int64_t seq, bool *does, struct error *err)
{
    (void)sqlite3_bind_int64(s, 1, l->rule);
    (void)sqlite3_bind_int64(s, 2, seq);
    if (l->has_token) {
        (void)sqlite3_bind_blob(s, 3, l->token, INDEX_TOKEN, SQLITE_STATIC);
    }
    int code = sqlite3_step(s);
    *does = code == SQLITE_ROW && is_in_scope(l, s, 0, 1);
    (void)sqlite3_reset(s);
    return code == SQLITE_ROW || code == SQLITE_DONE || index_fail(l->index, err);
}

static bool count_items(struct looking *l, sqlite3_stmt *items, sqlite3_stmt *line, struct exception_preview *out, struct error *err)
{
    unsigned rows = 0;
    int code = SQLITE_DONE;

    (void)sqlite3_bind_text(items, 1, l->scope->rule, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(items, 2, l->since_ms);
    (void)sqlite3_bind_text(items, 3, l->scope->tenant, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int(items, 4, ITEM_TRUE_POSITIVE);
    for (; rows < PREVIEW_ROWS_MAX && (code = sqlite3_step(items)) == SQLITE_ROW; rows++) {
        bool does;
        if (!covers(l, line, sqlite3_column_int64(items, 0), &does, err)) {
            return false;
        }
        out->confirmed += does;
    }
    out->is_cut |= rows == PREVIEW_ROWS_MAX;
    return code == SQLITE_ROW || code == SQLITE_DONE || index_fail(l->review, err);
}

static bool count_confirmed(struct looking *l, struct exception_preview *out, struct error *err)
{
    static const char confirmed[] = "SELECT seq FROM item WHERE rule=?1 AND ts>=?2 AND tenant=?3 AND disposition=?4 AND is_open=0";
    static const char finding[] = "SELECT tenant, app FROM finding WHERE rule=?1 AND seq=?2 AND (?3 IS NULL OR value_tok=?3) LIMIT 1";
    sqlite3_stmt *items = NULL, *line = NULL;

    bool is_counted = index_prepare(l->review, confirmed, &items, err) && index_prepare(l->index, finding, &line, err) &&
                      count_items(l, items, line, out, err);
    (void)sqlite3_finalize(items);
    (void)sqlite3_finalize(line);
    return is_counted;
}

bool exception_preview(struct index_reader *index, struct review_reader *review, const struct exception_scope *scope, int64_t now_ms,
                       struct exception_preview *out, struct error *err)
{
    struct looking l = {.index = index_reader_db(index), .review = review_reader_db(review), .scope = scope,
                        .since_ms = now_ms - PREVIEW_DAYS * day_ms};
    struct exception_preview p = {.findings = 0};

    if (!find_words(&l, err) || !count_findings(&l, &p, err) || !count_confirmed(&l, &p, err)) {
        return false;
    }
    *out = p;
    return true;
}
