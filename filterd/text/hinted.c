#include "text/hinted.h"

/* The first hint that starts at or behind `offset` of the parent. */
static size_t first_hint(const struct reading *r, size_t offset)
{
    size_t low = 0;
    size_t high = r->n_hints;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->hints[middle].from < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool hinted_next(const struct reading *r, size_t at, enum view_hint_kind kind, struct region *out)
{
    for (size_t i = first_hint(r, r->base + at); i < r->n_hints; i++) {
        if (r->hints[i].kind == kind) {
            struct region core = {.from = r->hints[i].from - r->base,
                                  .to = r->hints[i].to - r->base};
            *out = reading_lines_around(r, at, &core);
            return true;
        }
    }
    return false;
}
