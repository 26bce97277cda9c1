/* fuzz_decode.c - one transform alone; the first byte picks which. Regions go forward and lie in
 * the text, and what is written is a view. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/view/view_invariants.h"
#include "view/transform.h"

enum { DECODED_BYTES_MAX = 1 << 20, DECODED_PIECES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void apply(const struct transform *t, const struct source_piece *r, struct builder *b)
{
    struct region region;
    size_t at = 0;

    while (!builder_has_failed(b) && t->next(r, at, &region)) {
        require(region.from < region.to && region.to <= r->text.len, "a region out of bounds");
        require(region.to > at && (region.from >= at || t->marks == 0), "a region backwards");
        t->rewrite(r, &region, b);
        at = region.to;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view_limits limits = {
        .depth = 1, .max_bytes = DECODED_BYTES_MAX, .max_pieces = DECODED_PIECES_MAX};
    struct arena arena;
    struct error err;
    struct view_piece whole;
    struct view raw;
    struct builder builder;
    struct source_piece source = {.parent = &raw, .piece = &whole};
    const struct view *child;
    size_t n_transforms;
    const struct transform *const *transforms = transforms_all(&n_transforms);

    if (size < 2) {
        return 0;
    }
    arena_init(&arena, 0, (size_t)64 << 20);
    require(utf8_repair(&arena, span_of((const char *)data + 1, size - 1), &source.text, &err),
            "no repair");
    view_raw(source.text, &whole, &raw);
    require(survey_make(&arena, source.text, &source.survey, &err), "no survey");
    builder_init(&builder, &arena, &limits, &err);
    apply(transforms[data[0] % n_transforms], &source, &builder);
    if (builder_finish(&builder, &raw, &child) && child != NULL) {
        const char *flaw = view_flaw(child, size - 1);
        require(flaw == NULL, flaw);
    }
    arena_deinit(&arena);
    return 0;
}
