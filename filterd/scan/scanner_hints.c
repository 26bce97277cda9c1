/* scanner_hints.c - where the scan saw the first letters of a token in ROT13 or backwards. */
#include <stdlib.h>

#include "scan/scanner_parts.h"

static bool has_space(struct span text, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to; at++) {
        if ((unsigned char)text.ptr[at] <= ' ') {
            return true;
        }
    }
    return false;
}

/* Hints of one word are one. Past the ceiling the last one grows to cover the rest: more is read differently, nothing
 * less. */
void scanner_hint_add(struct scanner_hints *hints, struct span text, enum view_hint_kind kind, uint32_t end)
{
    if (hints == NULL || hints->max == 0) {
        return;
    }
    struct view_hint *last = hints->n > 0 ? &hints->items[hints->n - 1] : NULL;
    if (last != NULL && last->kind == kind && end >= last->to && (hints->n == hints->max || (end - last->to < 64 && !has_space(text, last->to, end)))) {
        last->to = end;
    } else if (hints->n < hints->max) {
        /* There are items as max is not 0. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        hints->items[hints->n++] = (struct view_hint){.kind = kind, .from = end - 1, .to = end};
    }
}

static int compare_hints(const void *a, const void *b)
{
    const struct view_hint *x = a, *y = b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (int)x->kind - (int)y->kind;
}

/* Hits of one expression come in order, those of several nearly so. */
void scanner_hints_order(struct scanner_hints *hints)
{
    for (size_t i = 1; hints != NULL && i < hints->n; i++) {
        if (hints->items[i].from < hints->items[i - 1].from) {
            qsort(hints->items, hints->n, sizeof(*hints->items), compare_hints);
            return;
        }
    }
}
