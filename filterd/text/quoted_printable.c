/* quoted_printable.c - =67=68=70: of a line that holds an encoded '=' or several characters.
 *
 * Program text and links are full of "=10" and "=A5"; one alone says nothing. */
#include "text/ascii.h"
#include "text/escape.h"
#include "text/transform.h"

enum { ENCODED_MIN = 4, SOFT_BREAK_MIN = 60 };

static bool read_encoded(struct span text, size_t at, struct escape *out)
{
    for (size_t i = 1; i < 3 && at + i < text.len; i++) {
        if (ascii_is(text.ptr[at + i], ASCII_LOWER)) {
            return false;
        }
    }
    return escape_hex_bytes(text, at, '=', out);
}

/* Encoded text goes on with a letter or another '='; parameters end with & or white space. */
static bool goes_on(struct span text, size_t at)
{
    return at >= text.len || text.ptr[at] == '=' || text.ptr[at] == '\n' ||
           ascii_is(text.ptr[at], ASCII_ALNUM);
}

/* The stretch from the first to the last encoded character of [at, end), if the line has enough. */
static bool find_in_line(struct span text, size_t at, size_t end, struct region *change)
{
    size_t n = 0;
    struct escape escape;
    struct span line = span_of(text.ptr, end);
    const char *equals;

    while (at < end && (equals = memchr(text.ptr + at, '=', end - at)) != NULL) {
        at = (size_t)(equals - text.ptr);
        if (!read_encoded(line, at, &escape)) {
            at++;
            continue;
        }
        change->from = n == 0 ? at : change->from;
        change->to = at + escape.len;
        n += escape.code_point == '=' ? ENCODED_MIN : goes_on(line, at + escape.len);
        at += escape.len;
    }
    return n >= ENCODED_MIN;
}

static bool find_encoded(const struct reading *r, size_t at, struct region *change)
{
    while ((at = survey_next(&r->survey, at, SURVEY_ENCODED)) < r->text.len) {
        const char *newline = memchr(r->text.ptr + at, '\n', r->text.len - at);
        size_t end = newline == NULL ? r->text.len : (size_t)(newline - r->text.ptr);
        if (find_in_line(r->text, at, end, change)) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

static bool next_encoded(const struct reading *r, size_t at, struct region *out)
{
    return reading_next_lines(r, at, find_encoded, out);
}

/* The bytes of the soft break at `at`; 0 when there is none. */
static size_t soft_break_at(struct span text, size_t at, size_t line_from)
{
    size_t newline = at + 1 + (at + 1 < text.len && text.ptr[at + 1] == '\r');

    return newline < text.len && text.ptr[newline] == '\n' && at - line_from >= SOFT_BREAK_MIN ? newline + 1 - at : 0;
}

static void rewrite_encoded(const struct reading *r, const struct region *region, struct builder *b)
{
    struct span text = span_of(r->text.ptr, region->to);
    size_t done = region->from;
    size_t line_from = done;

    builder_begin(b, quoted_printable_transform.name, quoted_printable_transform.kind);
    for (size_t at = done; at < text.len && !builder_has_failed(b); at++) {
        struct escape escape;
        line_from = text.ptr[at] == '\n' ? at + 1 : line_from;
        if (text.ptr[at] != '=') {
            continue;
        }
        size_t break_len = soft_break_at(text, at, line_from);
        if (break_len == 0 && !read_encoded(text, at, &escape)) {
            continue;
        }
        builder_copy(b, r->text, done, at - done);
        if (break_len == 0) {
            builder_put_code_point(b, escape.code_point, at, escape.len);
        }
        done = at + (break_len > 0 ? break_len : escape.len);
        line_from = break_len > 0 ? done : line_from;
        at = done - 1;
    }
    builder_copy(b, r->text, done, text.len - done);
    builder_end(b);
}

const struct transform quoted_printable_transform = {
    .name = "quoted-printable",
    .kind = VIEW_DECODED,
    .marks = SURVEY_ENCODED,
    .next = next_encoded,
    .rewrite = rewrite_encoded,
};
