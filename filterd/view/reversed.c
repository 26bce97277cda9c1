#include "view/hinted.h"

/* What is itself read backwards has been read forwards. */
static bool next_reversed(const struct source_piece *r, size_t at, struct region *out)
{
    return r->piece->transform != reversed_transform.name && hinted_next(r, at, VIEW_HINT_REVERSED, out);
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Character by character from the end, so that the text stays UTF-8. */
static void rewrite_reversed(const struct source_piece *r, const struct region *region,
                             struct builder *b)
{
    size_t end = region->to;

    builder_begin(b, reversed_transform.name, reversed_transform.kind);
    while (end > region->from && !builder_has_failed(b)) {
        size_t from = end - 1;
        while (from > region->from && is_continuation(r->text.ptr[from])) {
            from--;
        }
        struct origin origin = {
            .from = from,
            .len = end - from,
            .view_unit = (uint8_t)(end - from),
            .parent_unit = (uint8_t)(end - from),
            .is_backward = true,
        };
        builder_put(b, span_slice(r->text, from, end), &origin);
        end = from;
    }
    builder_end(b);
}

TRANSFORM_DEFINE(reversed, "reversed", VIEW_DECODED, 0,
                 next_reversed, rewrite_reversed, hinted_pending);
