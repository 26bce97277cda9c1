#include "index/index_find.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "index/index_files.h"
#include "index/index_plan.h"

enum {
    COST_MAX = 6000,    /* of one page; about a microsecond each */
    TIME_MAX_MS = 2000,    /* where files are compressed, or the disk is slow */
    TEXT_MAX = INDEX_FETCH_MAX * (TREE_LEAF_MAX + 1),
};

struct index_reader {
    sqlite3 *db;
    struct index_files files;
    struct index_position position;
};

struct index_reader *index_reader_open(const char *index, const char *folder, struct error *err)
{
    struct index_reader *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        error_set(err, ERROR_NO_MEMORY, "index: no memory");
        return NULL;
    }
    /* One state for all of a page. */
    if (!index_store_open_read(&r->db, &index_schema, index, err) || !index_execute(r->db, "BEGIN", err) ||
        !index_position_read(r->db, &r->position, err)) {
        (void)sqlite3_close(r->db);
        free(r);
        return NULL;
    }
    index_files_init(&r->files, r->db, folder);
    return r;
}

void index_reader_close(struct index_reader *r)
{
    if (r != NULL) {
        index_files_deinit(&r->files);
        (void)sqlite3_close(r->db);
        free(r);
    }
}

sqlite3 *index_reader_db(struct index_reader *r)
{
    return r->db;
}

uint64_t index_reader_seq(const struct index_reader *r)
{
    return r->position.seq;
}

/* --- pages ------------------------------------------------------------------------ */

struct search {
    struct index_reader *r;
    const struct index_page *page;
    struct index_plan plan;
    struct index_cursor cursors[2 * INDEX_KEYS_OF_PLAN];
    int64_t cost, until_ms;
    uint64_t at; /* every line from this one on was looked at */
    unsigned n;  /* lines given out */
    size_t bytes;
    bool is_end; /* there is no other line */
    struct buf text;
};

static bool open_cursors(struct search *s, struct error *err)
{
    for (size_t i = 0; i < s->plan.n_cursors; i++) {
        struct index_cursor *c = &s->cursors[i];
        if (!index_cursor_open(c, s->r->db, s->plan.cursors[i].way, &s->plan.cursors[i].key, s->plan.first, s->plan.end, err) ||
            !index_cursor_next(c, &s->cost, err)) {
            return false;
        }
    }
    return true;
}

/* The newest row of all cursors, which go on behind it. False without an error in *row: there is none up to a cursor that was
 * paused, or none at all. */
static bool next_row(struct search *s, struct index_row *row, bool *is_there, struct error *err)
{
    const struct index_cursor *newest = NULL;

    *is_there = false;
    for (size_t i = 0; i < s->plan.n_cursors; i++) {
        const struct index_cursor *c = &s->cursors[i];
        if (!c->is_end && (newest == NULL || c->row.seq > newest->row.seq)) {
            newest = c;
        }
    }
    s->is_end = newest == NULL;
    if (newest == NULL) {
        return true;
    }
    *row = newest->row;
    *is_there = newest->has_row;
    s->at = newest->row.seq;
    for (size_t i = 0; *is_there && i < s->plan.n_cursors; i++) {
        struct index_cursor *c = &s->cursors[i];
        while (c->has_row && c->row.seq == row->seq) { /* a rule may have found it twice */
            if (!index_cursor_next(c, &s->cost, err)) {
                return false;
            }
        }
    }
    return true;
}

/* Rows whose lines may match, as many as are read at a time. */
static bool gather(struct search *s, struct index_row rows[INDEX_FETCH_MAX], size_t *n, bool *is_paused, struct error *err)
{
    size_t max = s->page->limit - s->n < INDEX_FETCH_MAX ? s->page->limit - s->n : INDEX_FETCH_MAX;

    for (*n = 0, *is_paused = false; *n < max && !s->is_end && !*is_paused;) {
        bool is_there = false;
        if (!next_row(s, &rows[*n], &is_there, err)) {
            return false;
        }
        if (is_there && index_plan_may_match(&s->plan, &rows[*n])) {
            ++*n;
            s->cost -= INDEX_COST_LINE;
        }
        *is_paused = !s->is_end && (!is_there || s->cost <= 0);
    }
    return true;
}

/* Gives out those that match; *is_full: the rest of them is for the next page. */
static bool give(struct search *s, const struct index_row *rows, size_t n, bool *is_full, struct error *err)
{
    struct span lines[INDEX_FETCH_MAX];
    struct error ignored;

    buf_clear(&s->text);
    if (!index_files_read(&s->r->files, rows, n, &s->text, lines, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_readable = lines[i].ptr != NULL && json_validate(lines[i], &ignored);
        if (!is_readable || !query_matches(s->page->query, lines[i])) {
            continue;
        }
        if (s->n > 0 && s->bytes + lines[i].len > INDEX_PAGE_BYTES) {
            s->at = rows[i].seq + 1;
            *is_full = true;
            return true;
        }
        s->n++;
        s->bytes += lines[i].len;
        if (!s->page->take(s->page->context, rows[i].seq, lines[i], err)) {
            return false;
        }
    }
    return true;
}

static bool search(struct search *s, uint64_t *next, struct error *err)
{
    struct index_row rows[INDEX_FETCH_MAX];
    bool is_full = s->plan.is_empty || s->plan.first >= s->plan.end;
    size_t n = 0;

    s->is_end = is_full;
    if (!is_full && !open_cursors(s, err)) {
        return false;
    }
    while (!is_full && !s->is_end) {
        bool is_paused = false;
        if (!gather(s, rows, &n, &is_paused, err) || !give(s, rows, n, &is_full, err)) {
            return false;
        }
        is_full = is_full || is_paused || s->n >= s->page->limit || clock_monotonic_ms() >= s->until_ms;
    }
    *next = is_full && s->at > s->plan.first && !s->plan.is_empty ? s->at : 0;
    return true;
}

bool index_find(struct index_reader *r, const struct index_page *page, uint64_t *next, struct error *err)
{
    struct search *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "index: no memory");
    }
    s->r = r;
    s->page = page;
    s->cost = COST_MAX;
    s->until_ms = clock_monotonic_ms() + TIME_MAX_MS;
    buf_init(&s->text, TEXT_MAX);
    bool is_found = index_plan_make(&s->plan, r->db, page->query, page->before, err) && search(s, next, err);
    for (size_t i = 0; i < s->plan.n_cursors; i++) {
        index_cursor_close(&s->cursors[i]);
    }
    buf_deinit(&s->text);
    free(s);
    return is_found;
}

bool index_line_at(struct index_reader *r, uint64_t seq, struct buf *out, struct error *err)
{
    const struct index_key none = {.number = 0};
    struct index_cursor c = {.db = NULL};
    struct span line = {NULL, 0};
    int64_t cost = COST_MAX;

    bool is_read = index_cursor_open(&c, r->db, INDEX_WAY_ALL, &none, seq, seq + 1, err) && index_cursor_next(&c, &cost, err) &&
                   (!c.has_row || index_files_read(&r->files, &c.row, 1, out, &line, err));
    index_cursor_close(&c);
    return is_read && (line.ptr != NULL || error_set(err, ERROR_NOT_FOUND, "index: no line of that number"));
}
