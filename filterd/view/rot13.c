#include "base/ascii.h"
#include "view/hinted.h"

enum { PART = 4096 };

/* What is itself rotated by half of the alphabet has been read as it was. */
static bool next_rot13(const struct source_piece *r, size_t at, struct region *out)
{
    return r->piece->transform != rot13_transform.name && hinted_next(r, at, VIEW_HINT_ROT13, out);
}

static void rewrite_rot13(const struct source_piece *r, const struct region *region, struct builder *b)
{
    char part[PART];

    builder_begin(b, rot13_transform.name, rot13_transform.kind);
    for (size_t at = region->from; at < region->to && !builder_has_failed(b);) {
        size_t n = region->to - at < PART ? region->to - at : PART;
        struct origin origin = {.from = at, .len = n, .view_unit = 1, .parent_unit = 1};
        for (size_t i = 0; i < n; i++) {
            part[i] = ascii_rot13(r->text.ptr[at + i]);
        }
        builder_put(b, span_of(part, n), &origin);
        at += n;
    }
    builder_end(b);
}

TRANSFORM_DEFINE(rot13, "rot13", VIEW_DECODED, 0, next_rot13, rewrite_rot13, hinted_pending);
