/* scanner_narrow.c - filters of starts: made when they are first asked, fetched before, and asked for all patterns of a group at once.
 *
 * Patterns that share their windows mostly begin alike: with the names of a password, with digits. A filter that admits what one of them
 * does leaves out nearly all of the starts, once in place of once for each of them. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "scan/scanner_parts.h"

enum {
    NONE = UINT32_MAX,
    TOGETHER = 2, /* patterns of a group that has a filter */
    MANY = 64, SPARSE = 8, /* so many starts, one in so many: the filter leaves out too little */
};

/* Of two threads that make one, the second keeps that of the first. */
static const struct start_filter *keep_first(_Atomic(struct start_filter *) *place, struct start_filter *made)
{
    struct start_filter *known = NULL;

    if (made != NULL && !atomic_compare_exchange_strong_explicit(place, &known, made, memory_order_acq_rel, memory_order_acquire)) {
        start_filter_free(made);
        return known;
    }
    return made;
}

const struct start_filter *scanner_entry_starts(struct scanner_entry *entry)
{
    const struct start_filter *known = atomic_load_explicit(&entry->starts, memory_order_acquire);

    return known != NULL ? known : keep_first(&entry->starts, start_filter_new(entry->pattern, entry->starts_free));
}

static struct start_filter *make_for_all(const struct scanner *s, const struct scanner_group *group)
{
    struct start_pattern *patterns CLEANUP(cleanup_free) = calloc(group->n, sizeof(*patterns));

    for (uint32_t i = 0; patterns != NULL && i < group->n; i++) {
        const struct scanner_entry *entry = &s->entries[s->members[group->first + i]];
        patterns[i] = (struct start_pattern){entry->pattern, entry->starts_free};
    }
    return patterns != NULL ? start_filter_of_all(patterns, group->n) : NULL;
}

const struct start_filter *scanner_group_starts(const struct scanner *s, struct scanner_group *group)
{
    const struct start_filter *known = atomic_load_explicit(&group->starts, memory_order_acquire);

    return known != NULL || group->n < TOGETHER ? known : keep_first(&group->starts, make_for_all(s, group));
}

void scanner_trim(struct scanner *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        start_filter_free(atomic_exchange(&s->entries[i].starts, NULL));
    }
    for (uint32_t i = 0; i < s->n_groups; i++) {
        start_filter_free(atomic_exchange(&s->groups[i].starts, NULL));
    }
}

/* --- fetching ------------------------------------------------------------------- */

static const struct start_filter *first_asked(const struct scanner *s, const struct scanner_group *g)
{
    const struct scanner_entry *entry = &s->entries[s->members[g->first]];

    return atomic_load_explicit(g->n < TOGETHER ? &entry->starts : &g->starts, memory_order_acquire);
}

void scanner_fetch_entries(const struct scanner *s, const struct scanner_group *g)
{
    if (g->n < TOGETHER) {
        __builtin_prefetch(&s->entries[s->members[g->first]]);
    }
}

void scanner_fetch_filters(const struct scanner *s, const struct scanner_group *g)
{
    start_filter_fetch(first_asked(s, g));
    if (g->n < TOGETHER) {
        __builtin_prefetch(s->entries[s->members[g->first]].regex);
    }
}

void scanner_fetch_automata(const struct scanner *s, const struct scanner_group *g)
{
    const struct start_filter *f = first_asked(s, g);

    if (f != NULL && f->dfa != NULL) {
        lazy_dfa_fetch(f->dfa);
    }
}

void scanner_fetch_behind(const struct scanner *s, const struct scanner_group *g, uint32_t at)
{
    const uint32_t *members = s->members + g->first;

    if (at + 3 < g->n) {
        __builtin_prefetch(&s->entries[members[at + 3]]);
    }
    if (at + 2 < g->n) {
        start_filter_fetch(atomic_load_explicit(&s->entries[members[at + 2]].starts, memory_order_acquire));
    }
    if (at + 1 < g->n) {
        const struct start_filter *f = atomic_load_explicit(&s->entries[members[at + 1]].starts, memory_order_acquire);
        if (f != NULL && f->dfa != NULL) {
            lazy_dfa_fetch(f->dfa);
        }
    }
}

/* --- narrowing ------------------------------------------------------------------ */

/* A list that is made. */
struct narrowed {
    struct scanner_windows *windows;
    uint32_t first, last;
    size_t looked_at, admitted; /* starts */
};

/* Behind the last one of the list, or as its continuation where there is no room. */
static void append(struct narrowed *n, size_t from, size_t to)
{
    struct scanner_windows *w = n->windows;

    if (n->last != NONE && w->used == w->max) {
        w->items[n->last].to = (uint32_t)to;
        return;
    }
    w->items[w->used] = (struct scanner_window){.from = (uint32_t)from, .to = (uint32_t)to, .next = NONE};
    if (n->last != NONE) {
        w->items[n->last].next = w->used;
    } else {
        n->first = w->used;
    }
    n->last = w->used++;
}

/* What is one command again and again is admitted nearly everywhere, and each pattern knows more of what must follow. */
static bool is_worth_it(const struct narrowed *n)
{
    return n->admitted < MANY || n->admitted * SPARSE < n->looked_at;
}

/* The starts [at, to) of a piece, which begins at `base`. */
static void narrow(struct narrowed *n, const struct start_filter *starts, struct span piece, size_t base, size_t at, size_t to)
{
    struct start_seen seen = {0};
    struct start_range range;

    while (at < to && is_worth_it(n)) {
        if (!start_filter_next(starts, &seen, piece, at, to, &range)) {
            n->looked_at += to - at;
            return;
        }
        append(n, base + range.first, base + range.last + 1);
        n->admitted += range.last + 1 - range.first;
        n->looked_at += range.last + 1 - at;
        at = range.last + 1;
    }
    if (at < to) {
        append(n, base + at, base + to);
    }
}

uint32_t scanner_windows_narrow(struct scanner_windows *w, const struct start_filter *starts, const struct view *view, uint32_t list)
{
    struct narrowed n = {.windows = w, .first = NONE, .last = NONE};
    size_t p = 0;

    if (w->used == w->max) {
        return list;
    }
    while (list != NONE && p < view->n_pieces) {
        const struct view_piece *piece = &view->pieces[p];
        const struct scanner_window window = w->items[list];
        if (window.to > piece->from) {
            const size_t from = window.from > piece->from ? window.from - piece->from : 0;
            const size_t to = (window.to < piece->to ? window.to : piece->to) - piece->from;
            narrow(&n, starts, span_slice(view->text, piece->from, piece->to), piece->from, from, to);
        }
        if (window.to <= piece->to) {
            list = window.next;
        } else {
            p++;
        }
    }
    return n.first;
}
