/* wrapped.c - a token that goes on in the next line, also behind quote or comment marks.
 *
 * The first line's last word is long; the lines behind it are, after their mark, one word each. A
 * last line's first word counts too when it looks like a token. Prose and program text end lines
 * with long words as well, so what is joined must hold digits, _ or capitals in the middle. */
#include "base/ascii.h"
#include "view/transform.h"

enum {
    WORD_MIN = 12,
    TAIL_MIN = 8,
    TAIL_LOOK = 14,
    TAIL_WORD_MIN = 6,
    FULL_LINE_MIN = 60,
    INDENT_MAX = 64,
    MARKS_MAX = 8,
    CLOSING_MAX = 4, /* signs behind the last word of a line */
};

struct line_word {
    size_t from, to;  /* the word, without the sign that says that the line goes on */
    bool fills_line;  /* nothing but closing punctuation behind it */
    size_t next_line; /* where the next line starts; 0 when there is none */
};

/* Digits and letters, _ among letters, or a capital behind a small letter. */
static bool looks_like_token(struct span word)
{
    unsigned seen = 0;
    bool has_inner_capital = false;

    for (size_t i = 0; i < word.len; i++) {
        unsigned class = ascii_classes[(unsigned char)word.ptr[i]];
        seen |= class;
        has_inner_capital = has_inner_capital || ((class & ASCII_UPPER) != 0 && i > 0 &&
                                                  ascii_is(word.ptr[i - 1], ASCII_LOWER));
    }
    bool has_letters = (seen & ASCII_LETTER) != 0;
    return has_letters && ((seen & ASCII_DIGIT) != 0 || has_inner_capital ||
                           memchr(word.ptr, '_', word.len) != NULL);
}

/* Digits among letters, and both cases or nothing else: no word of a language, no name in a
 * program. */
static bool looks_random(struct span word)
{
    unsigned seen = 0;

    for (size_t i = 0; i < word.len; i++) {
        seen |= ascii_classes[(unsigned char)word.ptr[i]];
    }
    bool has_both_cases = (seen & ASCII_UPPER) != 0 && (seen & ASCII_LOWER) != 0;
    bool is_alnum = ascii_run_end(word, 0, ASCII_ALNUM) == word.len;
    return (seen & ASCII_DIGIT) != 0 &&
           (has_both_cases || ((seen & ASCII_LETTER) != 0 && is_alnum));
}

/* A row of dashes or dots is no word. */
static bool is_mostly_alnum(struct span word)
{
    size_t n = 0;

    for (size_t i = 0; i < word.len; i++) {
        n += ascii_is(word.ptr[i], ASCII_ALNUM);
    }
    return 2 * n > word.len;
}

static bool is_mark(struct span text, size_t at)
{
    char c = text.ptr[at];
    bool is_double = (c == '/' || c == '-') && at + 1 < text.len && text.ptr[at + 1] == c;
    size_t behind = at + 1 + is_double;

    return c == '>' || c == '|' ||
           ((c == '#' || c == '*' || c == ';' || c == '%' || is_double) && behind < text.len &&
            (text.ptr[behind] == ' ' || text.ptr[behind] == c));
}

/* Behind indentation and quote or comment marks. */
static size_t skip_marks(struct span text, size_t at)
{
    size_t limit = text.len - at < INDENT_MAX ? text.len : at + INDENT_MAX;

    for (unsigned marks = 0; at < limit; at++) {
        if (text.ptr[at] == ' ' || text.ptr[at] == '\t') {
            continue;
        }
        if (marks++ == MARKS_MAX || !is_mark(text, at)) {
            break;
        }
        at += text.ptr[at] == '/' || text.ptr[at] == '-';
    }
    return at;
}

/* What may close a line behind its last word: the end of a sentence, a quotation, a comment. */
static bool closes_line(char c)
{
    return ascii_is(c, ASCII_PRINT) && !ascii_is(c, ASCII_ALNUM) && c != '\n' && c != '{' &&
           c != '[' && c != '(' && c != '<';
}

static void read_word(struct span text, size_t from, struct line_word *out)
{
    size_t to = ascii_run_end(text, from, ASCII_TOKEN);
    size_t end = to;

    *out = (struct line_word){.from = from, .to = to};
    while (end < text.len && end - to < CLOSING_MAX && closes_line(text.ptr[end])) {
        end++;
    }
    size_t closed = end - to;
    end += end < text.len && text.ptr[end] == '\r';
    out->fills_line = end == text.len || text.ptr[end] == '\n';
    if (end < text.len && text.ptr[end] == '\n' && closed <= 2) {
        out->next_line = end + 1;
    }
}

/* A soft break of quoted-printable: the '=' belongs to the break. */
static size_t without_soft_break(struct span text, size_t from, size_t to)
{
    return to - from > 2 && text.ptr[to - 1] == '=' && text.ptr[to - 2] != '=' ? to - 1 : to;
}

/* Base64 alone, with what may fill up its last group. */
static bool is_base64(struct span word)
{
    size_t end = ascii_run_end(word, 0, ASCII_BASE64);
    size_t n_padding = 0;

    while (end + n_padding < word.len && word.ptr[end + n_padding] == '=') {
        n_padding++;
    }
    return end > 0 && n_padding <= 2 && end + n_padding == word.len;
}

/* The last line of what an encoder wraps is as short as it happens to be. */
static bool is_last_line(struct span before, struct span word)
{
    return before.len >= FULL_LINE_MIN && word.len <= before.len && is_base64(before) && is_base64(word);
}

/* A soft break of quoted-printable in a text that was written backwards: the '=' is before the long line. */
static bool is_break_before(struct span text, size_t at)
{
    return at + 1 < text.len && text.ptr[at] == '=' && text.ptr[at + 1] != '=' &&
           ascii_run_end(text, at, ASCII_TOKEN) - at >= FULL_LINE_MIN;
}

/* NAME=value, a line of settings. */
static bool is_setting(struct span word)
{
    const char *sign = memchr(word.ptr, '=', word.len);

    return sign != NULL && sign + 1 < word.ptr + word.len && sign[1] != '=' &&
           ascii_is(word.ptr[0], ASCII_LETTER);
}

/* A setting below another, which no soft break joins. */
static bool is_next_setting(struct span text, const struct line_word *last, struct span word)
{
    return is_setting(word) && is_setting(span_slice(text, last->from, last->to)) &&
           without_soft_break(text, last->from, last->to) == last->to;
}

/* Whether the word in the line behind `last` continues it; `n` words are joined so far. */
static bool is_continued(struct span text, const struct line_word *last, size_t n,
                         struct line_word *next)
{
    /* A label's value is on the next line of its own accord. */
    if (last->next_line == 0 || last->next_line >= text.len || text.ptr[last->to - 1] == ':') {
        return false;
    }
    read_word(text, skip_marks(text, last->next_line), next);
    struct span word = span_slice(text, next->from, next->to);
    if (is_next_setting(text, last, word)) {
        return false;
    }
    if (next->fills_line && is_last_line(span_slice(text, last->from, last->to), word)) {
        return true;
    }
    if (!is_mostly_alnum(word)) {
        return false;
    }
    if (!next->fills_line) {
        return word.len >= TAIL_WORD_MIN && looks_like_token(word) && looks_random(word);
    }
    return n > 1 || word.len >= WORD_MIN || looks_like_token(word) ||
           looks_random(span_slice(text, last->from, last->to));
}

/* The last word of the line that ends at `newline`. Its end must tell it from a word of prose: the
 * survey looks no further. */
static bool find_first_word(struct span text, size_t first, size_t newline, struct line_word *out)
{
    size_t to = newline;

    to -= to > first && text.ptr[to - 1] == '\r';
    to -= to > first && text.ptr[to - 1] == '\\';
    size_t tail = ascii_run_begin(text, first, to, ASCII_BASE64);
    size_t near = to - tail > TAIL_LOOK ? to - TAIL_LOOK : tail;
    if (to - tail < TAIL_MIN ||
        ascii_find_run(text, near, to, ASCII_DIGIT | ASCII_UPPER, 1) == to) {
        return false;
    }
    size_t from = ascii_run_begin(text, first, tail, ASCII_TOKEN);
    *out = (struct line_word){.from = from, .to = to, .next_line = newline + 1};
    return to - from >= WORD_MIN && looks_like_token(span_slice(text, from, to));
}

static bool next_wrapped(const struct source_piece *r, size_t at, struct region *out)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_WRAP)) < r->text.len) {
        const char *newline = memchr(r->text.ptr + at, '\n', r->text.len - at);
        struct line_word word;
        struct line_word next;
        if (newline == NULL) {
            return false;
        }
        at = (size_t)(newline - r->text.ptr);
        if (!find_first_word(r->text, first, at, &word) ||
            !is_continued(r->text, &word, 1, &next)) {
            first = ++at;
            continue;
        }
        out->from = word.from;
        for (size_t n = 2; next.fills_line && next.to - next.from >= TAIL_WORD_MIN; n++) {
            word = next;
            if (!is_continued(r->text, &word, n, &next)) {
                next = word;
                break;
            }
        }
        out->to = next.to;
        return true;
    }
    return false;
}

static void rewrite_wrapped(const struct source_piece *r, const struct region *region, struct builder *b)
{
    struct span text = span_of(r->text.ptr, region->to);
    size_t from = source_context_before(r, region->from);
    size_t at = region->from;

    if (source_is_copy(r, region)) {
        return;
    }
    builder_begin(b, wrapped_transform.name, wrapped_transform.kind);
    while (at < text.len && !builder_has_failed(b)) {
        size_t end = ascii_run_end(text, at, ASCII_TOKEN);
        const char *newline = memchr(text.ptr + end, '\n', text.len - end);
        size_t to = newline == NULL ? end : without_soft_break(text, at, end);
        builder_copy(b, r->text, from, to - from);
        if (newline == NULL) {
            break;
        }
        at = skip_marks(text, (size_t)(newline - text.ptr) + 1);
        at += is_break_before(text, at);
        from = at;
    }
    builder_end(b);
}

/* --- what may go on --- */

/* A token over more lines is not waited for as a whole, for the same reason as in concatenated.c. */
enum { PENDING_LINES_MAX = 256 };

static bool is_margin(char c)
{
    return strchr(" \t>|#*;%/-", c) != NULL;
}

/* Whether [from, end) is a margin, one word and what may close a line. */
static bool is_word_alone(struct span text, size_t from, size_t end)
{
    size_t at = from;

    while (at < end && at - from < INDENT_MAX && is_margin(text.ptr[at])) {
        at++;
    }
    while (at < end && ascii_is(text.ptr[at], ASCII_TOKEN)) {
        at++;
    }
    while (end > at && ascii_is(text.ptr[end - 1], ASCII_SPACE)) {
        end--;
    }
    return end - at <= CLOSING_MAX;
}

/* The last word of the line that ends at `newline`. It may go on behind it: as the first of a wrapped token, or as one
 * of its next. */
struct last_word {
    size_t from;
    bool may_be_first, may_be_next;
};

static struct last_word last_word_of(struct span text, size_t first, size_t newline)
{
    size_t to = newline;

    for (unsigned i = 0; i < CLOSING_MAX && to > first && text.ptr[to - 1] != '\n' &&
                         !ascii_is(text.ptr[to - 1], ASCII_BASE64);
         i++) {
        to--;
    }
    size_t tail = ascii_run_begin(text, first, to, ASCII_BASE64);
    size_t from = ascii_run_begin(text, first, tail, ASCII_TOKEN);
    size_t end = ascii_run_end(text, from, ASCII_TOKEN);
    return (struct last_word){
        .from = from, .may_be_first = to - tail >= TAIL_MIN, .may_be_next = end - from >= TAIL_WORD_MIN};
}

/* The newline before `end`; SIZE_MAX when there is none. Behind a carriage return at the text's end it is to come. */
static size_t newline_before(struct span text, size_t first, size_t end)
{
    if (end == text.len && text.ptr[end - 1] == '\r') {
        return end;
    }
    const char *newline = memrchr(text.ptr + first, '\n', end - first);
    return newline == NULL ? SIZE_MAX : (size_t)(newline - text.ptr);
}

/* What is before the first word goes on behind its line. */
static struct pending wrapped_pending(struct span text, size_t first)
{
    size_t end = text.len;
    struct pending found = pending_apart(text.len);

    for (unsigned lines = 0; lines < PENDING_LINES_MAX && end > first; lines++) {
        size_t at = newline_before(text, first, end);
        if (at == SIZE_MAX || (at < end && !is_word_alone(text, at + 1, end))) {
            break;
        }
        struct last_word word = last_word_of(text, first, at);
        if (word.may_be_first) {
            found.from = word.from;
            found.altered = ascii_run_end(text, word.from, ASCII_TOKEN);
        } else if (!word.may_be_next) {
            break;
        }
        end = at < end ? at : end - 1;
    }
    return found;
}

TRANSFORM_DEFINE(wrapped, "wrapped", VIEW_FOLDED, SURVEY_WRAP,
                 next_wrapped, rewrite_wrapped, wrapped_pending);
