#include "review/review_pages.h"

static void bind_span(sqlite3_stmt *s, int at, struct span text)
{
    if (text.ptr != NULL) {
        (void)sqlite3_bind_text(s, at, text.ptr, (int)text.len, SQLITE_STATIC);
    }
}

bool review_page_read(sqlite3 *db, sqlite3_stmt *s, const struct review_page *page, review_page_fn *take, void *context,
                      uint64_t *next, struct error *err)
{
    uint64_t seq = 0;
    bool is_good = true;
    unsigned n = 0;
    int code = SQLITE_DONE;

    *next = 0;
    (void)sqlite3_bind_int64(s, 1, page->before == 0 ? INT64_MAX : (sqlite3_int64)page->before);
    bind_span(s, 2, page->tenant);
    bind_span(s, 3, page->name);
    (void)sqlite3_bind_int64(s, 6, (sqlite3_int64)page->limit + 1);
    for (; is_good && n < page->limit && (code = sqlite3_step(s)) == SQLITE_ROW; n++) {
        is_good = take(context, s, &seq, err);
    }
    if (is_good && n == page->limit && (code = sqlite3_step(s)) == SQLITE_ROW) {
        *next = seq;
    }
    is_good = is_good && (code == SQLITE_ROW || code == SQLITE_DONE || index_fail(db, err));
    (void)sqlite3_finalize(s);
    return is_good;
}

bool review_row_find(sqlite3 *db, const char *sql, struct span id, void (*take)(sqlite3_stmt *s, void *row), void *row,
                     bool *is_found, struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(db, sql, &s, err)) {
        return false;
    }
    bind_span(s, 1, id);
    int code = sqlite3_step(s);
    *is_found = code == SQLITE_ROW;
    if (*is_found) {
        take(s, row);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(db, err);
    (void)sqlite3_finalize(s);
    return is_read;
}
