/* tags.c - text written in Unicode's tag characters: invisible, and ASCII letter by letter.
 *
 * Flags of regions (England's, for one) are an emoji and at most six of them. */
#include "text/transform.h"
#include "text/utf8.h"

enum { TAG_LEN = 4, TAGS_MIN = 8, TAG_FIRST = 0xe0020, TAG_LAST = 0xe007e, TAG_BASE = 0xe0000 };

/* The ASCII character that the tag at `at` stands for; 0 when there is none. */
static char tag_at(struct span text, size_t at)
{
    if (text.len - at < TAG_LEN || (unsigned char)text.ptr[at] != 0xf3 ||
        (unsigned char)text.ptr[at + 1] != 0xa0) {
        return 0;
    }
    size_t len;
    uint32_t code_point = utf8_decode(span_of(text.ptr + at, TAG_LEN), &len);
    bool is_tag = code_point >= TAG_FIRST && code_point <= TAG_LAST;
    return (char)(is_tag ? code_point - TAG_BASE : 0);
}

static bool next_tags(const struct reading *r, size_t at, struct region *out)
{
    while ((at = survey_next(&r->survey, at, SURVEY_HIGH)) < r->text.len) {
        const char *lead = memchr(r->text.ptr + at, 0xf3, r->text.len - at);
        if (lead == NULL) {
            return false;
        }
        size_t from = (size_t)(lead - r->text.ptr);
        at = from;
        while (at < r->text.len && tag_at(r->text, at) != 0) {
            at += TAG_LEN;
        }
        if (at - from >= (size_t)TAGS_MIN * TAG_LEN) {
            *out = (struct region){.from = from, .to = at};
            return true;
        }
        at += at == from;
    }
    return false;
}

static void rewrite_tags(const struct reading *r, const struct region *region, struct builder *b)
{
    builder_begin(b, tags_transform.name, tags_transform.kind);
    for (size_t at = region->from; at < region->to && !builder_has_failed(b); at += TAG_LEN) {
        builder_put_code_point(b, (unsigned char)tag_at(r->text, at), at, TAG_LEN);
    }
    builder_end(b);
}

const struct transform tags_transform = {
    .name = "tags",
    .kind = VIEW_FOLDED,
    .marks = SURVEY_HIGH,
    .next = next_tags,
    .rewrite = rewrite_tags,
};
