/* fuzz_view.c - all views of a text, their invariants and their offset maps. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/view/view_invariants.h"

enum { VIEW_BYTES_MAX = 1 << 20, VIEW_PIECES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view_limits limits = {
        .depth = VIEW_DEPTH_MAX, .max_bytes = VIEW_BYTES_MAX, .max_pieces = VIEW_PIECES_MAX};
    struct arena arena;
    struct error err;
    struct span text;
    struct view_piece whole;
    struct view raw;
    uint32_t middle = (uint32_t)(size / 2);
    struct view_hint hints[] = {
        {.kind = VIEW_HINT_ROT13, .from = middle / 2, .to = middle / 2 + 1},
        {.kind = VIEW_HINT_REVERSED, .from = middle, .to = middle + 1},
    };

    arena_init(&arena, 0, (size_t)256 << 20);
    if (size == 0 || !utf8_repair(&arena, span_of((const char *)data, size), &text, &err)) {
        return 0;
    }
    view_raw(text, &whole, &raw);
    size_t n_hints = data[0] % 4 == 0 ? COUNT(hints) : 0;
    const struct view *parent = &raw;
    const struct view *child;
    while (view_expand(&arena, parent, hints, n_hints, &limits, &child, &err) && child != NULL) {
        const char *flaw = view_flaw(child, size);
        if (flaw != NULL) {
            (void)fprintf(stderr, "%s\n", flaw);
            abort();
        }
        parent = child;
        n_hints = 0;
    }
    arena_deinit(&arena);
    return 0;
}
