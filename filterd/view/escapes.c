/* escapes.c - percent-encoding, HTML's entities, backslash escapes: in one go, as a line that holds
 * several kinds would otherwise be read once in every order of them. */
#include "base/ascii.h"
#include "view/escape.h"
#include "view/fold_run.h"
#include "view/transform.h"
#include "text/vector.h"

static bool escape_at(struct span text, size_t at, struct escape *out)
{
    switch (text.ptr[at]) {
    case '%':
        return escape_percent(text, at, out);
    case '&':
        return escape_html(text, at, out);
    case '\\':
        return escape_backslash(text, at, out);
    default:
        return false;
    }
}

static size_t find_introducer(struct span text, size_t at)
{
    for (; text.len - at >= VECTOR_SIZE; at += VECTOR_SIZE) {
        vector_bytes v = vector_load(text.ptr + at);
        unsigned found =
            vector_top_bits(vector_is(v, '%') | vector_is(v, '&') | vector_is(v, '\\'));
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
    while (at < text.len && text.ptr[at] != '%' && text.ptr[at] != '&' && text.ptr[at] != '\\') {
        at++;
    }
    return at;
}

static bool find_escape(const struct source_piece *r, size_t at, struct region *change)
{
    while ((at = survey_next(&r->survey, at, SURVEY_ESCAPE)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        struct escape escape;

        at = find_introducer(span_of(r->text.ptr, end), at);
        if (at < end && escape_at(r->text, at, &escape)) {
            *change = (struct region){.from = at, .to = at + escape.len};
            return true;
        }
        at += at < end;
    }
    return false;
}

static bool next_escapes(const struct source_piece *r, size_t at, struct region *out)
{
    return source_next_lines(r, at, find_escape, out);
}

static void rewrite_escapes(const struct source_piece *r, const struct region *region, struct builder *b)
{
    struct span text = span_of(r->text.ptr, region->to);
    size_t done = region->from;
    size_t at = done;

    builder_begin(b, escapes_transform.name, escapes_transform.kind);
    while ((at = find_introducer(text, at)) < text.len && !builder_has_failed(b)) {
        struct escape escape;
        if (!escape_at(text, at, &escape)) {
            at++;
            continue;
        }
        builder_copy(b, r->text, done, at - done);
        builder_put_code_point(b, escape.code_point, at, escape.len);
        at += escape.len;
        done = at;
    }
    builder_copy(b, r->text, done, text.len - done);
    builder_end(b);
}

/* --- what may go on --- */

/* An escape that lacks its end: of a surrogate pair, whose backslashes may be escaped themselves; of bytes in \x more. */
enum { HALF_ESCAPE_MAX = 13, HALF_BYTES_MAX = ESCAPE_MAX - 1 };

static bool may_go_on_in_escape(char c)
{
    return ascii_is(c, ASCII_ALNUM) || c == '#' || c == '{' || c == '\\' || c == '%' || c == '-' ||
           c == '.';
}

/* Whether an escape that begins at `at` may lack its end. */
static bool may_be_half(struct span text, size_t at)
{
    char c = text.ptr[at];
    bool is_bytes = c == '\\' && at + 1 < text.len && text.ptr[at + 1] == 'x';

    return (c == '&' || c == '%' || c == '\\') && (is_bytes || text.len - at <= HALF_ESCAPE_MAX);
}

/* Half an escape, and the run before it: it may stand for a character of that. */
static struct pending escapes_pending(struct span text, size_t first)
{
    size_t found = text.len;

    for (size_t at = text.len; at > first && text.len - at < HALF_BYTES_MAX; at--) {
        if (may_be_half(text, at - 1)) {
            found = at - 1;
        } else if (!may_go_on_in_escape(text.ptr[at - 1])) {
            break;
        }
    }
    return fold_run_pending_before(text, first, pending_from_here(text, found));
}

TRANSFORM_DEFINE(escapes, "escapes", VIEW_DECODED, SURVEY_ESCAPE,
                 next_escapes, rewrite_escapes, escapes_pending);
