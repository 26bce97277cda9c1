#include "dataset/cells_build.h"

#include <sys/stat.h>

#include "base/cleanup.h"
#include "dataset/cell.h"
#include "dataset/csv.h"
#include "dataset/first_word.h"
#include "dataset/table_build.h"

struct building {
    const struct cells_build *b;
    struct csv csv;
    struct table_build *table;
    struct cells_built *out;
    size_t fields[TABLE_COLUMNS_MAX]; /* of the CSV file, for each column */
};

static void building_deinit(struct building *g)
{
    csv_close(&g->csv);
    table_build_free(g->table);
}

/* --- columns ------------------------------------------------------------------- */

static bool read_kind(struct span name, uint8_t *out)
{
    for (uint8_t i = 0; i < CELL_KINDS; i++) {
        if (span_is(name, cell_kind_names[i])) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* "phone+49" is a phone number whose national form has that calling code. */
static bool read_country(struct span *kind, uint32_t *country)
{
    const char *plus = kind->len > 0 ? memchr(kind->ptr, '+', kind->len) : NULL;
    uint32_t code = 0;

    if (plus == NULL) {
        return true;
    }
    size_t n = kind->len - (size_t)(plus - kind->ptr) - 1;
    for (size_t i = 1; i <= n; i++) {
        if (plus[i] < '0' || plus[i] > '9') {
            return false;
        }
        code = code * 10 + (uint32_t)(plus[i] - '0');
    }
    *kind = span_slice(*kind, 0, (size_t)(plus - kind->ptr));
    bool is_good = n >= 1 && n <= 3 && code > 0 && span_is(*kind, "phone") && (*country == 0 || *country == code);
    *country = code;
    return is_good;
}

/* "email:email": what is behind the last colon is the kind. */
static bool read_column(struct span text, struct table_header *h, struct error *err)
{
    const char *colon = text.len > 0 ? memrchr(text.ptr, ':', text.len) : NULL;
    struct table_column *column = &h->columns[h->n_columns];

    if (h->n_columns == TABLE_COLUMNS_MAX) {
        return error_set(err, ERROR_LIMIT, "--columns: at most %d columns expected", TABLE_COLUMNS_MAX);
    }
    struct span kind = colon == NULL ? text : span_slice(text, (size_t)(colon - text.ptr) + 1, text.len);
    if (colon == NULL || colon == text.ptr || !read_country(&kind, &h->country) || !read_kind(kind, &column->kind)) {
        return error_set(err, ERROR_INVALID, "--columns: NAME:KIND expected, where KIND is name, phone, id, email or free; "
                                             "phone+49 for one calling code in all columns");
    }
    struct span name = span_slice(text, 0, (size_t)(colon - text.ptr));
    if (name.len >= sizeof(column->name)) {
        return error_set(err, ERROR_LIMIT, "--columns: names of at most %zu bytes expected", sizeof(column->name) - 1);
    }
    memcpy(column->name, name.ptr, name.len);
    h->n_columns++;
    return true;
}

static bool read_columns(struct span list, struct table_header *h, struct error *err)
{
    for (size_t from = 0; from <= list.len;) {
        const char *comma = list.len > from ? memchr(list.ptr + from, ',', list.len - from) : NULL;
        size_t to = comma != NULL ? (size_t)(comma - list.ptr) : list.len;
        if (!read_column(span_slice(list, from, to), h, err)) {
            return false;
        }
        from = to + 1;
    }
    return true;
}

static bool find_column(struct building *g, size_t i, struct error *err)
{
    struct span name = span_str(g->out->header.columns[i].name);
    size_t n_found = 0;

    for (size_t k = 0; k < g->csv.n_fields; k++) {
        if (span_equal(csv_field(&g->csv, k), name)) {
            g->fields[i] = k;
            n_found++;
        }
    }
    return n_found == 1 || error_set(err, ERROR_INVALID, "%s:1:1: one column '" SPAN_FMT "' expected, not %zu", g->b->name,
                                     SPAN_ARG(name), n_found);
}

static bool find_columns(struct building *g, struct error *err)
{
    bool is_end;

    if (!csv_next(&g->csv, &is_end, err)) {
        return false;
    }
    if (is_end) {
        return error_set(err, ERROR_MALFORMED, "%s:1:1: a row with the names of the columns expected", g->b->name);
    }
    for (size_t i = 0; i < g->out->header.n_columns; i++) {
        if (!find_column(g, i, err)) {
            return false;
        }
    }
    return true;
}

/* --- rows ----------------------------------------------------------------------- */

/* The first word, or the letters that an id begins with. */
static bool allow_first(struct building *g, const struct normal_cell *cell, struct error *err)
{
    const uint64_t hash = first_word_hash(g->b->key, cell->text, cell->first);

    return table_build_allow(g->table, 0, dataset_permute(g->b->key, hash), err);
}

/* Each beginning of a value of several words, up to all of it. */
static bool allow_words(struct building *g, const struct normal_cell *cell, struct error *err)
{
    for (size_t i = 0; i <= cell->n; i++) {
        if (i != cell->n && cell->text[i] != ' ') {
            continue;
        }
        bool is_done = i == cell->first
                           ? allow_first(g, cell, err)
                           : table_build_allow(g->table, 1, dataset_hash(g->b->key, FORM_WORDS, span_of(cell->text, i)), err);
        if (!is_done) {
            return false;
        }
    }
    return true;
}

static bool add_cell(struct building *g, size_t column, struct span text, struct error *err)
{
    struct table_header *h = &g->out->header;
    const enum cell_kind kind = (enum cell_kind)h->columns[column].kind;
    struct normal_cell cell;

    if (!cell_normalise(kind, h->country, text, &cell)) {
        g->out->skipped++;
        return true;
    }
    if (cell.form == FORM_PHONE || cell.form == FORM_ID) {
        *(kind == CELL_PHONE ? &h->phone_lengths : &h->id_lengths) |= UINT64_C(1) << cell.n;
    }
    if (cell.form == FORM_ID && cell.first > 0 && cell.first <= CODE_LETTERS_MAX) {
        h->letters |= UINT64_C(1) << cell.first;
        if (!allow_first(g, &cell, err)) {
            return false;
        }
    }
    uint64_t hash = dataset_hash(g->b->key, (char)cell.form, span_of(cell.text, cell.n));
    return (cell.form != FORM_WORDS || allow_words(g, &cell, err)) &&
           table_build_add(g->table, hash, (uint32_t)h->rows, (unsigned)column | (cell.is_strong ? TABLE_STRONG : 0), err);
}

static bool add_rows(struct building *g, struct error *err)
{
    struct table_header *h = &g->out->header;

    for (bool is_end = false;; h->rows++) {
        if (!csv_next(&g->csv, &is_end, err)) {
            return false;
        }
        if (is_end) {
            return true;
        }
        if (h->rows == UINT32_MAX) {
            return error_set(err, ERROR_LIMIT, "%s: fewer than 2^32 rows expected", g->b->name);
        }
        for (size_t i = 0; i < h->n_columns; i++) {
            if (!add_cell(g, i, csv_field(&g->csv, g->fields[i]), err)) {
                return false;
            }
        }
    }
}

bool cells_build(const struct cells_build *b, struct cells_built *out, struct error *err)
{
    struct building g CLEANUP(building_deinit) = {.b = b, .out = out};
    struct stat info;

    *out = (struct cells_built){.header = {.kind = TABLE_CELLS, .made = b->now_s}};
    if (!read_columns(b->columns, &out->header, err) || !csv_open(&g.csv, b->csv, b->name, b->delimiter, err) ||
        !find_columns(&g, err)) {
        return false;
    }
    g.table = table_build_new(b->path, b->key, err);
    if (g.table == NULL || !add_rows(&g, err) || !table_build_finish(g.table, &out->header, TABLE_VALUE_ROWS, err)) {
        return false;
    }
    out->size = stat(b->path, &info) == 0 ? (uint64_t)info.st_size : 0;
    return true;
}
