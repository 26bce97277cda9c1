#include "view/hinted.h"

#include "base/ascii.h"


/* The first hint that starts at or behind `offset` of the parent. */
static size_t first_hint(const struct source_piece *r, size_t offset)
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

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The run of token characters around the hint: what a token is made of, and no line with all that
 * may still come to be in it. */
static struct region run_around(const struct source_piece *r, size_t first, const struct view_hint *hint)
{
    size_t from = hint->from - r->base;
    size_t to = hint->to - r->base;

    while (from > first && is_continuation(r->text.ptr[from])) {
        from--;
    }
    while (to < r->text.len && is_continuation(r->text.ptr[to])) {
        to++;
    }
    return (struct region){
        .from = ascii_run_begin(r->text, first, from, ASCII_TOKEN),
        .to = ascii_run_end(r->text, to, ASCII_TOKEN),
    };
}

bool hinted_next(const struct source_piece *r, size_t at, enum view_hint_kind kind, struct region *out)
{
    for (size_t i = first_hint(r, r->base + at); i < r->n_hints; i++) {
        if (r->hints[i].kind == kind) {
            *out = run_around(r, at, &r->hints[i]);
            return true;
        }
    }
    return false;
}

struct pending hinted_pending(struct span text, size_t first)
{
    return pending_in_run(text, first, ASCII_TOKEN);
}
