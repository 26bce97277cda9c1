#include "base/ascii.h"
#include "view/transform.h"

/* How much of a long line stays around a change: more than any rule's words nearby reach. Behind
 * the last of many changes a little less, so that a region grows in steps worth their cost. */
enum { LINE_CONTEXT = 192, LINE_CONTEXT_BEHIND = 128, WORDS_BEFORE_MAX = 32, LONE_WORD_MAX = 80, WRAPPED_MIN = 60 };

const struct transform *const *transforms_all(size_t *n)
{
    static const struct transform *const all[] = {
        &fold_transform,         &tags_transform,
        &escapes_transform,      &quoted_printable_transform,
        &concatenated_transform, &wrapped_transform,
        &spaced_transform,       &base64_transform,
        &hex_transform,          &numbers_transform,
        &rot13_transform,        &reversed_transform,
        &turned_transform,       &rendered_transform,
        &grouped_transform,      &literals_transform,
        &dump_transform,         &codes_transform,
        &base32_transform,
    };
    *n = COUNT(all);
    return all;
}

/* Where the line begins that holds `at`, or what of it starts behind white space further away than
 * the context; not before `first`. */
static size_t context_begin(struct span text, size_t first, size_t at)
{
    size_t near = at - first > LINE_CONTEXT ? at - LINE_CONTEXT : first;
    const char *newline = memrchr(text.ptr + near, '\n', at - near);

    if (newline != NULL) {
        return (size_t)(newline - text.ptr) + 1;
    }
    while (near > first && !ascii_is(text.ptr[near - 1], ASCII_SPACE)) {
        near--;
    }
    return near;
}

static size_t context_end(struct span text, size_t at)
{
    size_t near = text.len - at > LINE_CONTEXT ? at + LINE_CONTEXT : text.len;
    const char *newline = memchr(text.ptr + at, '\n', near - at);

    if (newline != NULL) {
        return (size_t)(newline - text.ptr);
    }
    while (near < text.len && !ascii_is(text.ptr[near], ASCII_SPACE)) {
        near++;
    }
    return near;
}

/* The lines that hold `core` likewise; not before `first`. */
static struct region source_lines_around(const struct source_piece *r, size_t first, const struct region *core)
{
    return (struct region){
        .from = context_begin(r->text, first, core->from),
        .to = context_end(r->text, core->to),
    };
}

/* A line of one word may be what the changed line goes on with, once it is read: the last one of wrapped text
 * may hold no change itself. */
static size_t with_line_behind(struct span text, size_t from, size_t to)
{
    if (to - from < WRAPPED_MIN || to >= text.len || text.ptr[to] != '\n') {
        return to;
    }
    size_t end = ascii_run_end(text, to + 1, ASCII_TOKEN);
    size_t behind = end + (end < text.len && text.ptr[end] == '\r');
    bool is_alone = behind == text.len || text.ptr[behind] == '\n';
    return is_alone && end > to + 1 && end - to <= LONE_WORD_MAX ? end : to;
}

bool source_next_lines(const struct source_piece *r, size_t at, find_change_fn find, struct region *out)
{
    struct region change;
    if (!find(r, at, &change)) {
        return false;
    }
    struct region all = source_lines_around(r, at, &change);
    while (find(r, change.to, &change)) {
        bool is_line_end = all.to == r->text.len || r->text.ptr[all.to] == '\n';
        if (change.to <= all.to && (is_line_end || all.to - change.to >= LINE_CONTEXT_BEHIND)) {
            continue;
        }
        struct region more =
            source_lines_around(r, change.from < all.to ? change.from : all.to, &change);
        bool is_next_line = more.from == all.to + 1 && r->text.ptr[all.to] == '\n';
        if (more.from > all.to && !is_next_line) {
            break;
        }
        all.to = more.to;
    }
    all.to = with_line_behind(r->text, all.from, all.to);
    *out = all;
    return true;
}

bool source_next_run(const struct source_piece *r, size_t at, unsigned classes, size_t min,
                      struct region *out)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_RUN)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        /* The mark is where the run has grown to its least length. */
        size_t from = at - first > min ? at - min : first;
        from = ascii_find_run(r->text, from, end, classes, min);
        if (from < end) {
            from = ascii_run_begin(r->text, first, from, classes);
            *out = (struct region){.from = from, .to = ascii_run_end(r->text, from + min, classes)};
            return true;
        }
        at = end;
    }
    return false;
}

struct pending pending_in_run(struct span text, size_t first, unsigned classes)
{
    return pending_apart(ascii_run_begin(text, first, text.len, classes));
}

size_t source_context_before(const struct source_piece *r, size_t at)
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

bool source_is_copy(const struct source_piece *r, const struct region *region)
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
