#include "judge/data.h"

#include <stdlib.h>

#include "dataset/copies_find.h"
#include "judge/decide.h"
#include "policy/rule_data.h"

/* A value at its place in the channel's text as sent. */
struct data_hit {
    struct cell_hit at;
    size_t match_from;
    enum view_kind view;
    const char *transform;
    struct span value;
};

struct data_search {
    struct search *s;
    const struct rule_table *tables;
    size_t n_tables;
    struct data_hits {
        struct data_hit *items;
        size_t n, cap;
    } *hits; /* for each table */
    const struct view_piece *piece; /* that is searched */
    size_t table;
};

static bool is_wanted(const bool *has_rule, const struct rule_table *t)
{
    return has_rule == NULL || has_rule[t->rule];
}

bool data_begin(struct search *s, struct data_search **out, struct error *err)
{
    const struct rule_set *rules = s->request->rules;
    struct arena *a = s->finder->arena;
    bool has_any = false;

    *out = NULL;
    for (size_t i = 0; i < rules->n_tables; i++) {
        has_any = has_any || is_wanted(s->request->has_rule, &rules->tables[i]);
    }
    if (!has_any) {
        return true;
    }
    struct data_search *d = arena_alloc(a, sizeof(*d), err);
    struct data_hits *hits = d != NULL ? arena_array(a, rules->n_tables, sizeof(*hits), err) : NULL;
    if (hits == NULL) {
        return false;
    }
    memset(hits, 0, rules->n_tables * sizeof(*hits));
    *d = (struct data_search){.s = s, .tables = rules->tables, .n_tables = rules->n_tables, .hits = hits};
    *out = d;
    return true;
}

/* --- searching a view --------------------------------------------------------------- */

static bool add_hit(struct data_search *d, const struct data_hit *hit, struct error *err)
{
    struct data_hits *hits = &d->hits[d->table];

    if (hits->n == DATA_HITS_MAX) {
        return error_set(err, ERROR_LIMIT, "more than %d values of a table", DATA_HITS_MAX);
    }
    if (hits->n == hits->cap) {
        size_t cap = hits->cap == 0 ? 16 : 2 * hits->cap;
        struct data_hit *items = arena_array(d->s->finder->arena, cap, sizeof(*items), err);
        if (items == NULL) {
            return false;
        }
        if (hits->n > 0) {
            memcpy(items, hits->items, hits->n * sizeof(*items));
        }
        hits->items = items;
        hits->cap = cap;
    }
    hits->items[hits->n++] = *hit;
    return true;
}

/* A place in the piece; what the parent's search has found or will is left out. */
static bool on_cell(void *context, const struct cell_hit *cell, struct error *err)
{
    struct data_search *d = context;
    const struct search *s = d->s;
    size_t from = d->piece->from + cell->from, to = d->piece->from + cell->to;
    struct raw_place raw;
    struct finding place = {0};

    if (search_is_only_copied(s, d->piece, from, to) || search_is_before_change(s, d->piece, to)) {
        return true;
    }
    view_to_raw(s->view, from, to, &raw.from, &raw.to);
    if (!search_place(s, raw, &place)) {
        return true;
    }
    const struct data_hit hit = {.at = {.from = place.from, .to = place.to, .range = cell->range},
                                 .match_from = place.match_from,
                                 .view = d->piece->kind,
                                 .transform = d->piece->transform,
                                 .value = span_slice(s->view->text, from, to)};
    return add_hit(d, &hit, err);
}

static bool on_copy(void *context, size_t from, size_t to, struct error *err)
{
    const struct cell_hit hit = {.from = from, .to = to};

    return on_cell(context, &hit, err);
}

/* Whether the piece ends where the text does, so that its last word may go on. */
static bool is_at_end(const struct data_search *d)
{
    size_t from = d->s->raw->text.len, to = from;

    if (d->s->view != d->s->raw && d->piece->to > d->piece->from) {
        view_to_raw(d->s->view, d->piece->to - 1, d->piece->to, &from, &to);
    }
    return to == d->s->raw->text.len;
}

static bool search_piece(struct data_search *d, struct error *err)
{
    const struct rule_table *t = &d->tables[d->table];
    const struct span text = span_slice(d->s->view->text, d->piece->from, d->piece->to);
    const bool is_open = d->s->request->open != NULL && is_at_end(d);

    return t->table->header->kind == TABLE_CELLS ? cells_find(t->table, text, is_open, on_cell, d, NULL, err)
                                                 : copies_find(t->table, &t->copies, text, is_open, on_copy, d, NULL, err);
}

bool data_view(struct data_search *d, struct error *err)
{
    for (size_t i = 0; d != NULL && i < d->s->view->n_pieces; i++) {
        const struct search *s = d->s;
        d->piece = &s->view->pieces[i];
        bool is_in_place = s->view == s->raw || view_is_in_place(d->piece);
        if (view_is_joined(d->piece) || (s->request->is_parts && is_in_place)) {
            continue;
        }
        for (d->table = 0; d->table < d->n_tables; d->table++) {
            if (is_wanted(s->request->has_rule, &d->tables[d->table]) && !search_piece(d, err)) {
                return false;
            }
        }
    }
    return true;
}

/* --- findings ------------------------------------------------------------------------ */

static int compare_hits(const void *x, const void *y)
{
    const struct cell_hit *a = &((const struct data_hit *)x)->at, *b = &((const struct data_hit *)y)->at;

    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

static bool add_finding(struct data_search *d, const struct rule *rule, const struct data_hit *hit, struct error *err)
{
    const struct finding finding = {.rule = rule,
                                    .channel = d->s->request->channel,
                                    .from = hit->at.from,
                                    .to = hit->at.to,
                                    .match_from = hit->match_from,
                                    .view = hit->view,
                                    .transform = hit->transform,
                                    .confidence = rule->confidence,
                                    .is_shadow = rule->is_shadow,
                                    .value = hit->value};

    return finding_list_add(d->s->finder, d->s->list, &finding, err);
}

/* Whether the hit stays whatever follows. */
static bool is_firm(const struct data_search *d, const struct data_hit *hit)
{
    const struct find_open *open = d->s->request->open;

    return open == NULL || hit->view == VIEW_RAW || hit->at.to <= open->known;
}

/* Another cell of its row may yet come. */
static void note_open_row(const struct data_search *d, const struct rule_table *t, const struct rule *rule, const struct data_hit *hit)
{
    const struct find_open *open = d->s->request->open;

    if (open != NULL && t->wanted.columns > 0 && hit->at.from + t->wanted.within >= open->known &&
        decision_may_differ(open->exchange, rule, -1, rule->confidence)) {
        search_note_open(d->s, hit->at.from + d->s->offset);
    }
}

static bool end_cells(struct data_search *d, const struct rule_table *t, struct data_hits *hits, struct error *err)
{
    const struct rule *rule = &d->s->request->rules->rules[t->rule];
    struct arena *a = d->s->finder->arena;
    struct cell_hit *cells = arena_array(a, hits->n + 1, sizeof(*cells), err);
    bool *is_found = cells != NULL ? arena_array(a, hits->n + 1, sizeof(*is_found), err) : NULL;
    size_t n = 0;

    if (is_found == NULL) {
        return false;
    }
    for (size_t i = 0; i < hits->n; i++) {
        if (is_firm(d, &hits->items[i])) {
            hits->items[n] = hits->items[i];
            cells[n] = hits->items[n].at;
            n++;
        }
    }
    cells_match(t->table, &t->wanted, cells, n, is_found);
    for (size_t i = 0; i < n; i++) {
        if (is_found[i] && !add_finding(d, rule, &hits->items[i], err)) {
            return false;
        }
        if (!is_found[i]) {
            note_open_row(d, t, rule, &hits->items[i]);
        }
    }
    return true;
}

static bool end_copies(struct data_search *d, const struct rule_table *t, struct data_hits *hits, struct error *err)
{
    for (size_t i = 0; i < hits->n; i++) {
        if (!add_finding(d, &d->s->request->rules->rules[t->rule], &hits->items[i], err)) {
            return false;
        }
    }
    return true;
}

bool data_end(struct data_search *d, struct error *err)
{
    for (size_t i = 0; d != NULL && i < d->n_tables; i++) {
        struct data_hits *hits = &d->hits[i];
        if (hits->n == 0) {
            continue;
        }
        qsort(hits->items, hits->n, sizeof(*hits->items), compare_hits);
        bool is_cells = d->tables[i].table->header->kind == TABLE_CELLS;
        if (!(is_cells ? end_cells : end_copies)(d, &d->tables[i], hits, err)) {
            return false;
        }
    }
    return true;
}

/* --- streams -------------------------------------------------------------------------- */

struct data_ahead {
    size_t from; /* what ends before it was released */
    bool *has_data;
};

static bool note_copy(void *context, size_t from, size_t to, struct error *err)
{
    const struct data_ahead *ahead = context;

    (void)from, (void)err;
    *ahead->has_data = *ahead->has_data || to > ahead->from;
    return true;
}

static bool note_cell(void *context, const struct cell_hit *hit, struct error *err)
{
    return note_copy(context, hit->from, hit->to, err);
}

/* Cells begin behind what was released; fingerprints depend on the letters before it, too. */
static bool look_ahead(const struct rule_table *t, struct span text, size_t from, bool *has_data, size_t *open, struct error *err)
{
    const bool is_cells = t->table->header->kind == TABLE_CELLS;
    const size_t begin = is_cells ? from : copies_begin(text, from);
    const struct span rest = span_slice(text, begin, text.len);
    struct data_ahead ahead = {.from = from - begin, .has_data = has_data};

    bool is_done = is_cells ? cells_find(t->table, rest, true, note_cell, &ahead, open, err)
                            : copies_find(t->table, &t->copies, rest, true, note_copy, &ahead, open, err);
    *open += begin;
    *open = *open > from ? *open : from;
    return is_done;
}

bool data_hold(const struct rule_set *rules, const bool *has_rule, struct span text, size_t from, struct hold *hold,
               bool *has_data, struct error *err)
{
    *has_data = false;
    for (size_t i = 0; i < rules->n_tables; i++) {
        size_t open = 0;
        if (!is_wanted(has_rule, &rules->tables[i])) {
            continue;
        }
        if (!look_ahead(&rules->tables[i], text, from, has_data, &open, err)) {
            return false;
        }
        if (open < hold->to) {
            *hold = (struct hold){.to = open, .pattern = HOLD_VIEW};
        }
    }
    return true;
}
