/* concatenated.c - "abc" + "def", 'abc' . 'def', "abc" "def": parts of one string.
 *
 * Behind an operator any two literals are joined. Without one, as C and Python have it, prose has
 * quotations in a row: then both must be single words. */
#include "base/ascii.h"
#include "text/quote.h"
#include "view/transform.h"

enum { LITERAL_MAX = 512, GAP_MAX = 64, WORDS_MIN = 12, CONTENT_MIN = 8, EMPTY_MAX = 16 };

/* From the closing quote at `close` over an operator to the quote that opens the next literal. */
static bool cross_gap(struct span text, size_t close, size_t *open, bool *has_operator)
{
    size_t limit = text.len - close < GAP_MAX ? text.len : close + GAP_MAX;
    size_t n_signs = 0;

    for (size_t at = close + 1; at < limit; at++) {
        char c = text.ptr[at];
        if (quote_is(c)) {
            *open = at;
            *has_operator = n_signs > 0;
            return true;
        }
        bool is_sign = c == '+' || c == '.' || c == '&';
        n_signs += is_sign;
        if ((!is_sign && c != '\\' && !ascii_is(c, ASCII_SPACE)) || n_signs > 2) {
            return false;
        }
    }
    return false;
}

/* The quote that closes the literal opened at `open`, on the same line. */
static bool find_close(struct span text, size_t open, size_t *close)
{
    size_t limit = text.len - open < LITERAL_MAX ? text.len : open + LITERAL_MAX;

    for (size_t at = open + 1; at < limit && text.ptr[at] != '\n'; at++) {
        if (text.ptr[at] == text.ptr[open]) {
            *close = at;
            return true;
        }
        at += text.ptr[at] == '\\';
    }
    return false;
}

static bool find_open(struct span text, size_t first, size_t close, size_t *open)
{
    for (size_t at = close; at > first && close - at < LITERAL_MAX && text.ptr[at - 1] != '\n';
         at--) {
        if (text.ptr[at - 1] == text.ptr[close]) {
            *open = at - 1;
            return true;
        }
    }
    return false;
}

static bool is_word(struct span text, size_t open, size_t close)
{
    return close > open + 1 && ascii_run_end(text, open + 1, ASCII_TOKEN) == close;
}

/* Whether the literal [open, close] is followed by another part; moves both there. */
static bool next_part(struct span text, size_t *open, size_t *close)
{
    size_t next_open;
    size_t next_close;
    bool has_operator;

    if (!cross_gap(text, *close, &next_open, &has_operator) ||
        !find_close(text, next_open, &next_close)) {
        return false;
    }
    bool are_words = is_word(text, *open, *close) && is_word(text, next_open, next_close) &&
                     *close - *open + next_close - next_open >= WORDS_MIN;
    if (!has_operator && !are_words) {
        return false;
    }
    *open = next_open;
    *close = next_close;
    return true;
}

/* An operator, with a space before it perhaps. */
static bool starts_operator(struct span text, size_t at)
{
    at += at < text.len && ascii_is(text.ptr[at], ASCII_SPACE);
    return at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '.' || text.ptr[at] == '&' || text.ptr[at] == '\\');
}

/* The first quote of [at, end) with what may glue parts behind it: any sign behind a letter, digit or _, else an
 * operator. */
static size_t find_quote(struct span text, size_t at, size_t end)
{
    for (; (at = quote_next(text, at, end)) < end; at++) {
        char next = (char)(at + 1 < text.len ? text.ptr[at + 1] : '\0');
        bool may_end = at > 0 && ascii_is(text.ptr[at - 1], ASCII_BASE64);
        if ((may_end && (ascii_is(next, ASCII_SPACE) || quote_is(next))) || starts_operator(text, at + 1)) {
            break;
        }
    }
    return at;
}

/* The parts of a string of which the first ends at `close`; none when it is too short to matter. */
static bool find_parts(struct span text, size_t first, size_t close, struct region *out)
{
    size_t open;
    bool has_operator;

    if (!cross_gap(text, close, &open, &has_operator) || !find_open(text, first, close, &open)) {
        return false;
    }
    size_t content = close - open - 1;
    *out = (struct region){.from = open, .to = close};
    for (size_t n = 0; (content >= CONTENT_MIN || n < EMPTY_MAX) && next_part(text, &open, &out->to); n++) {
        content += out->to - open - 1;
    }
    return out->to++ > close && content >= CONTENT_MIN;
}

static bool next_concatenated(const struct source_piece *r, size_t at, struct region *out)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_QUOTE)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        /* The mark is at the character behind the quote, or behind a space there. */
        const size_t back = at - first < 2 ? at - first : 2;
        size_t close = at % SURVEY_BLOCK == 0 ? at - back : at;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        while ((close = find_quote(r->text, close, end)) < end) {
            if (find_parts(r->text, first, close, out)) {
                return true;
            }
            close++;
        }
        at = block_end;
    }
    return false;
}

static void rewrite_concatenated(const struct source_piece *r, const struct region *region,
                                 struct builder *b)
{
    size_t open = region->from;
    size_t close = open;
    size_t from = source_context_before(r, open);

    if (source_is_copy(r, region) || !find_close(r->text, open, &close)) {
        return;
    }
    builder_begin(b, concatenated_transform.name, concatenated_transform.kind);
    while (close < region->to && !builder_has_failed(b)) {
        builder_copy(b, r->text, from, close - from);
        if (!next_part(r->text, &open, &close)) {
            break;
        }
        from = open + 1;
    }
    builder_copy(b, r->text, close, region->to - close);
    builder_end(b);
}

/* --- what may go on --- */

/* A string in more parts, or further back, is not waited for as a whole: what it may cost to look for its beginning, at
 * each chunk, has a bound. */
enum { PENDING_PARTS_MAX = 4096, PENDING_LOOK_BACK = 64 * 1024 };

static bool is_glue(char c)
{
    return c == '+' || c == '.' || c == '&' || c == '\\' || ascii_is(c, ASCII_SPACE);
}

/* The quote that ends before `end` with nothing but glue between; SIZE_MAX when there is none. */
static size_t close_before(struct span text, size_t first, size_t end)
{
    size_t at = end;

    while (at > first && end - at < GAP_MAX && is_glue(text.ptr[at - 1])) {
        at--;
    }
    return at > first && quote_is(text.ptr[at - 1]) ? at - 1 : SIZE_MAX;
}

static size_t open_before(struct span text, size_t first, size_t close)
{
    size_t open;

    return find_open(text, first, close, &open) ? open : SIZE_MAX;
}

/* Where the first of the parts opens of which the last closes at `close`. */
static size_t parts_before(struct span text, size_t first, size_t close)
{
    size_t open = open_before(text, first, close);

    for (unsigned i = 0; open != SIZE_MAX && i < PENDING_PARTS_MAX; i++) {
        size_t earlier = close_before(text, first, open);
        size_t next = earlier == SIZE_MAX ? SIZE_MAX : open_before(text, first, earlier);
        if (next == SIZE_MAX) {
            break;
        }
        open = next;
    }
    return open;
}

/* The parts of which the last closes before `end`, with nothing but glue between, when they begin before those found. What
 * is before them goes on behind the first closing quote, and from there on is read otherwise: the first part may begin
 * in what was released. */
static void extend_parts(struct span text, size_t first, size_t end, struct pending *found)
{
    size_t close = close_before(text, first, end);
    size_t from = close == SIZE_MAX ? SIZE_MAX : parts_before(text, text.len > PENDING_LOOK_BACK ? text.len - PENDING_LOOK_BACK : 0, close);

    if (from < found->from) {
        const char *quote = memchr(text.ptr + from + 1, text.ptr[from], text.len - from - 1);
        found->from = from;
        found->altered = quote != NULL ? (size_t)(quote - text.ptr) : close;
    }
}

/* A string that has closed and may go on, or one that goes on and has not closed yet. */
static struct pending concatenated_pending(struct span text, size_t first)
{
    struct pending found = pending_apart(text.len);

    extend_parts(text, first, text.len, &found);
    for (size_t at = text.len; at > first && text.len - at < LITERAL_MAX; at--) {
        char c = text.ptr[at - 1];
        if (c == '\n') {
            break;
        }
        if (quote_is(c)) {
            extend_parts(text, first, at - 1, &found);
        }
    }
    return found;
}

TRANSFORM_DEFINE(concatenated, "concatenated", VIEW_FOLDED, SURVEY_QUOTE,
                 next_concatenated, rewrite_concatenated, concatenated_pending);
