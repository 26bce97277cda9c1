/* quoted_printable.c - =67=68=70: of a line that holds an encoded '=' or several characters, and lines
 * that a '=' at their end joins to the next one.
 *
 * Program text and links are full of "=10" and "=A5"; one alone says nothing. A line that is broken so is
 * nearly as long as a mail's may be. */
#include "base/ascii.h"
#include "view/escape.h"
#include "view/fold_run.h"
#include "view/transform.h"
#include "text/utf8.h"

enum { ENCODED_MIN = 4, SOFT_BREAK_MIN = 60, CHARACTER_MAX = 4, BASE64_MIN = 16, CLOSING_MAX = 4 };

/* Whether the '=' at `at` may be what fills up the last group of base64. */
static bool may_be_padding(struct span text, size_t at)
{
    size_t len = at - ascii_run_begin(text, 0, at, ASCII_BASE64);

    return len >= BASE64_MIN && (len + 1) % 4 == 0;
}

/* Whether the line at `at` may be more of what is before: one word and what closes a string, to its end or to a
 * soft break. */
static bool is_lone_word(struct span text, size_t at)
{
    size_t word = ascii_run_end(text, at, ASCII_TOKEN);
    size_t end = word;

    while (end < text.len && end - word < CLOSING_MAX && !ascii_is(text.ptr[end], ASCII_SPACE | ASCII_ALNUM)) {
        end++;
    }
    end += end < text.len && text.ptr[end] == '\r';
    return word > at && (end == text.len || text.ptr[end] == '\n');
}

/* The bytes of the soft break at `at`; 0 when there is none. */
static size_t soft_break_at(struct span text, size_t at, size_t line_from)
{
    size_t newline = at + 1 + (at + 1 < text.len && text.ptr[at + 1] == '\r');

    if (newline >= text.len || text.ptr[newline] != '\n' || at - line_from < SOFT_BREAK_MIN ||
        text.ptr[at - 1] == '=' || (may_be_padding(text, at) && !is_lone_word(text, newline + 1))) {
        return 0;
    }
    return newline + 1 - at;
}

/* Two hex digits behind a '=', no small letters. */
static bool read_byte(struct span text, size_t at, uint32_t *byte)
{
    size_t digits = at + 1;

    return text.len - at >= 3 && text.ptr[at] == '=' && !ascii_is(text.ptr[at + 1], ASCII_LOWER) &&
           !ascii_is(text.ptr[at + 2], ASCII_LOWER) && escape_hex_number(text, &digits, 2, 2, byte);
}

/* One character; a soft break may be between its bytes. */
static bool read_encoded(struct span text, size_t at, size_t line_from, struct escape *out)
{
    char bytes[CHARACTER_MAX];
    size_t n = 0, len;
    uint32_t byte;

    for (size_t next = at; n < CHARACTER_MAX && next < text.len && read_byte(text, next, &byte); n++) {
        bytes[n] = (char)byte;
        size_t whole = utf8_valid_prefix(span_of(bytes, n + 1));
        if (whole == n + 1) {
            *out = (struct escape){.code_point = utf8_decode(span_of(bytes, n + 1), &len), .len = next + 3 - at};
            return escape_is_text(out->code_point);
        }
        next += 3;
        size_t gap = next < text.len && text.ptr[next] == '=' ? soft_break_at(text, next, line_from) : 0;
        line_from = gap > 0 ? next + gap : line_from;
        next += gap;
    }
    return false;
}

/* Encoded text goes on with a letter or another '='; parameters end with & or white space. */
static bool goes_on(struct span text, size_t at)
{
    return at >= text.len || text.ptr[at] == '=' || text.ptr[at] == '\n' ||
           ascii_is(text.ptr[at], ASCII_ALNUM);
}

/* Where the line of `at` begins, or a place that is far enough before. */
static size_t line_begin(struct span text, size_t at)
{
    size_t near = at > SOFT_BREAK_MIN ? at - SOFT_BREAK_MIN : 0;
    const char *newline = memrchr(text.ptr + near, '\n', at - near);

    return newline == NULL ? near : (size_t)(newline - text.ptr) + 1;
}

/* The stretch from the first to the last encoded character of [at, end), a line, if it has enough, and to the
 * soft break at its end. */
static bool find_in_line(struct span text, size_t at, size_t end, struct region *change)
{
    size_t n = 0;
    size_t line_from = line_begin(text, at);
    struct escape escape;
    const char *equals;

    while (at < end && (equals = memchr(text.ptr + at, '=', end - at)) != NULL) {
        at = (size_t)(equals - text.ptr);
        size_t break_len = soft_break_at(text, at, line_from);
        bool is_encoded = break_len == 0 && read_encoded(text, at, line_from, &escape);
        if (break_len == 0 && !is_encoded) {
            at++;
            continue;
        }
        size_t len = is_encoded ? escape.len : break_len;
        bool is_sure = !is_encoded || escape.code_point == '=';
        change->from = n == 0 ? at : change->from;
        change->to = at + len;
        n += is_sure ? ENCODED_MIN : goes_on(text, at + len);
        at += len;
    }
    return n >= ENCODED_MIN;
}

static bool find_encoded(const struct source_piece *r, size_t at, struct region *change)
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

static bool next_encoded(const struct source_piece *r, size_t at, struct region *out)
{
    return source_next_lines(r, at, find_encoded, out);
}

static void rewrite_encoded(const struct source_piece *r, const struct region *region, struct builder *b)
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
        if (break_len == 0 && !read_encoded(text, at, line_from, &escape)) {
            continue;
        }
        builder_copy(b, r->text, done, at - done);
        if (break_len == 0) {
            builder_put_code_point(b, escape.code_point, at, escape.len);
        }
        done = at + (break_len > 0 ? break_len : escape.len);
        const char *newline = memrchr(text.ptr + at, '\n', done - at);
        line_from = newline != NULL ? (size_t)(newline - text.ptr) + 1 : line_from;
        at = done - 1;
    }
    builder_copy(b, r->text, done, text.len - done);
    builder_end(b);
}

/* --- what may go on --- */

/* Lines of mail have at most 76 characters. Of a line that is longer than this, which is no mail's, what was encoded
 * further back is not waited for: else a long line of code with one "=10" would be held to its end. */
enum { LINE_LOOK_BACK = 1024 };

/* The '=' at the end of the line that ends at `newline`, and the characters encoded right before it, of which the last may
 * go on in the next line; SIZE_MAX when there is none. */
static size_t soft_break_before(struct span text, size_t first, size_t newline)
{
    size_t at = newline - (newline > first && text.ptr[newline - 1] == '\r');

    if (at <= first || text.ptr[at - 1] != '=') {
        return SIZE_MAX;
    }
    at--;
    while (at >= first + 3 && text.ptr[at - 3] == '=' && ascii_is(text.ptr[at - 2], ASCII_HEX) &&
           ascii_is(text.ptr[at - 1], ASCII_HEX)) {
        at -= 3;
    }
    return at;
}

static struct pending find_pending(struct span text, size_t first)
{
    const char *newline =
        text.len > first ? memrchr(text.ptr + first, '\n', text.len - first) : NULL;
    size_t at = newline != NULL ? (size_t)(newline - text.ptr) + 1 : first;
    size_t soft_break = newline != NULL ? soft_break_before(text, first, at - 1) : SIZE_MAX;

    if (soft_break != SIZE_MAX) {
        return pending_from_here(text, soft_break);
    }
    for (; at < text.len; at++) {
        if (text.ptr[at] != '=') {
            continue;
        }
        bool is_high = at + 1 == text.len || ascii_is(text.ptr[at + 1], ASCII_DIGIT | ASCII_UPPER);
        bool is_low = at + 2 >= text.len || ascii_is(text.ptr[at + 2], ASCII_DIGIT | ASCII_UPPER);
        if (is_high && is_low) {
            return pending_from_here(text, at);
        }
    }
    return pending_apart(text.len);
}

/* Encoded characters count over a line, so the first of them is pending until the line ends, with the run before it, of
 * which it may be a character. */
static struct pending encoded_pending(struct span text, size_t first)
{
    size_t near = text.len > LINE_LOOK_BACK ? text.len - LINE_LOOK_BACK : 0;

    return fold_run_pending_before(text, first, find_pending(text, first > near ? first : near));
}

TRANSFORM_DEFINE(quoted_printable, "quoted-printable", VIEW_DECODED, SURVEY_ENCODED,
                 next_encoded, rewrite_encoded, encoded_pending);
