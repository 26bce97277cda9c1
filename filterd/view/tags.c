/* tags.c - text written in Unicode's tag characters: invisible, and ASCII letter by letter.
 *
 * Flags of regions (England's, for one) are an emoji and at most six of them. Spaces and other
 * invisible characters may be between two. */
#include "text/fold_table.h"
#include "view/transform.h"
#include "text/utf8.h"

enum { TAG_LEN = 4, TAGS_MIN = 8, TAG_FIRST = 0xe0020, TAG_LAST = 0xe007e, TAG_BASE = 0xe0000, BETWEEN_MAX = 4 };

/* The ASCII character that the tag at `at` stands for; 0 when there is none. */
static char tag_at(struct span text, size_t at)
{
    if (text.len - at < TAG_LEN || (unsigned char)text.ptr[at] != 0xf3 ||
        (unsigned char)text.ptr[at + 1] != 0xa0) {
        return 0;
    }
    size_t len;
    uint32_t code_point = utf8_decode(span_of(text.ptr + at, TAG_LEN), &len);
    bool is_space = code_point == TAG_BASE + '\n' || code_point == TAG_BASE + '\t' || code_point == TAG_BASE + '\r';
    bool is_tag = (code_point >= TAG_FIRST && code_point <= TAG_LAST) || is_space;
    return (char)(is_tag ? code_point - TAG_BASE : 0);
}

/* The bytes of the character at `at` when it may be between two tags: a space or what is invisible; else 0. */
static size_t between_at(struct span text, size_t at)
{
    size_t len = 1;

    if (text.ptr[at] == ' ') {
        return len;
    }
    uint32_t code_point = utf8_decode(span_slice(text, at, text.len), &len);
    return fold_kind(fold_value(code_point)) == FOLD_DROP ? len : 0;
}

/* Behind the tag at `at` and what may be between it and the next one. */
static size_t next_tag(struct span text, size_t at)
{
    size_t behind = at + TAG_LEN;
    size_t next = behind;

    for (size_t n = 0; n < BETWEEN_MAX && next < text.len && tag_at(text, next) == 0; n++) {
        size_t len = between_at(text, next);
        if (len == 0) {
            break;
        }
        next += len;
    }
    return next < text.len && tag_at(text, next) != 0 ? next : behind;
}

static bool next_tags(const struct source_piece *r, size_t at, struct region *out)
{
    while ((at = survey_next(&r->survey, at, SURVEY_HIGH)) < r->text.len) {
        const char *lead = memchr(r->text.ptr + at, 0xf3, r->text.len - at);
        if (lead == NULL) {
            return false;
        }
        size_t from = (size_t)(lead - r->text.ptr);
        size_t n = 0;
        at = from;
        while (at < r->text.len && tag_at(r->text, at) != 0) {
            at = next_tag(r->text, at);
            n++;
        }
        if (n >= TAGS_MIN) {
            *out = (struct region){.from = from, .to = at};
            return true;
        }
        at += at == from;
    }
    return false;
}

static void rewrite_tags(const struct source_piece *r, const struct region *region, struct builder *b)
{
    struct span text = span_of(r->text.ptr, region->to);

    builder_begin(b, tags_transform.name, tags_transform.kind);
    for (size_t at = region->from; at < region->to && !builder_has_failed(b); at = next_tag(text, at)) {
        builder_put_code_point(b, (unsigned char)tag_at(text, at), at, TAG_LEN);
    }
    builder_end(b);
}

/* --- what may go on --- */

/* Where the tag begins that ends at `end`, or before what may be between it and another; SIZE_MAX when there is none. */
static size_t tag_before(struct span text, size_t first, size_t end)
{
    for (size_t n = 0; end >= first + TAG_LEN; n++) {
        size_t last = character_begin(text, end);
        if (tag_at(text, last) != 0) {
            return last >= first ? last : SIZE_MAX;
        }
        if (n == BETWEEN_MAX || between_at(text, last) == 0) {
            break;
        }
        end = last;
    }
    return SIZE_MAX;
}

static struct pending tags_pending(struct span text, size_t first)
{
    size_t from = text.len;

    for (size_t before; (before = tag_before(text, first, from)) != SIZE_MAX;) {
        from = before;
    }
    return pending_apart(from);
}

TRANSFORM_DEFINE(tags, "tags", VIEW_FOLDED, SURVEY_HIGH, next_tags, rewrite_tags, tags_pending);
