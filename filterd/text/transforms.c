#include "text/ascii.h"
#include "text/transform.h"

/* How much of a long line stays around a change: more than any rule's words nearby reach. Behind
 * the last of many changes a little less, so that a region grows in steps worth their cost. */
enum { LINE_CONTEXT = 192, LINE_CONTEXT_BEHIND = 128, WORDS_BEFORE_MAX = 32 };

const struct transform *const *transforms_all(size_t *n)
{
    static const struct transform *const all[] = {
        &fold_transform,         &tags_transform,   &escapes_transform, &quoted_printable_transform,
        &concatenated_transform, &wrapped_transform, &spaced_transform, &base64_transform,
        &hex_transform,          &numbers_transform, &rot13_transform,  &reversed_transform,
    };
    *n = COUNT(all);
    return all;
}

struct region reading_lines_around(const struct reading *r, size_t first,
                                   const struct region *core)
{
    const char *text = r->text.ptr;
    size_t from = core->from;
    size_t to = core->to;

    while (from > first && text[from - 1] != '\n' &&
           (core->from - from < LINE_CONTEXT || !ascii_is(text[from - 1], ASCII_SPACE))) {
        from--;
    }
    while (to < r->text.len && text[to] != '\n' &&
           (to - core->to < LINE_CONTEXT || !ascii_is(text[to], ASCII_SPACE))) {
        to++;
    }
    return (struct region){.from = from, .to = to};
}

bool reading_next_lines(const struct reading *r, size_t at, find_change_fn find,
                        struct region *out)
{
    struct region change;
    if (!find(r, at, &change)) {
        return false;
    }
    struct region all = reading_lines_around(r, at, &change);
    while (find(r, change.to, &change)) {
        bool is_line_end = all.to == r->text.len || r->text.ptr[all.to] == '\n';
        if (change.to <= all.to && (is_line_end || all.to - change.to >= LINE_CONTEXT_BEHIND)) {
            continue;
        }
        struct region more = reading_lines_around(r, change.from < all.to ? change.from : all.to,
                                                  &change);
        bool is_next_line = more.from == all.to + 1 && r->text.ptr[all.to] == '\n';
        if (more.from > all.to && !is_next_line) {
            break;
        }
        all.to = more.to;
    }
    *out = all;
    return true;
}

size_t reading_context_before(const struct reading *r, size_t at)
{
    const char *text = r->text.ptr;
    size_t from = at;

    while (from > 0 && at - from < WORDS_BEFORE_MAX && text[from - 1] != '\n') {
        from--;
    }
    while (from < at && ((unsigned char)text[from] & 0xc0) == 0x80) {
        from++;
    }
    return from;
}

bool reading_is_copy(const struct reading *r, const struct region *region)
{
    if (r->piece->n_segments == 0) {
        return false;
    }
    const struct view_segment *s = view_segment_at(r->parent, r->piece, r->base + region->from);
    size_t end = s->view_from + s->view_len;
    bool is_at_start = region->from == 0 || s->view_from < r->base + region->from;
    bool is_at_end = region->to == r->text.len || r->base + region->to < end;

    return s->is_copy && r->base + region->to <= end && is_at_start && is_at_end;
}
