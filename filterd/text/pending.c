#include "text/pending.h"

#include "text/ascii.h"
#include "text/fold_table.h"
#include "text/spaced_step.h"
#include "text/turned_units.h"
#include "text/utf8.h"

enum {
    ESCAPE_MAX = 13,      /* the longest escape less one: half a surrogate pair and more */
    GAP_MAX = 64,         /* between the parts of a string, concatenated.c */
    LITERAL_MAX = 512,    /* likewise */
    PARTS_MAX = 4096,
    PARTS_LOOK_BACK = 64 * 1024,
    NUMBER_MAX = 8,       /* a number with its prefix, numbers.c */
    NUMBER_GAP_MAX = 40,  /* likewise */
    WRAP_WORD_MIN = 8,    /* the end of a line that may be wrapped, wrapped.c */
    WRAP_TAIL_MIN = 6,    /* likewise: a line behind it that may go on */
    CLOSING_MAX = 4,      /* likewise: signs that may close a line */
    INDENT_MAX = 64,      /* likewise */
    LINES_MAX = 256,
};

static size_t near_of(struct span text)
{
    return text.len > PENDING_LOOK_BACK ? text.len - PENDING_LOOK_BACK : 0;
}

static size_t character_begin(struct span text, size_t end)
{
    size_t at = end - 1;

    while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

/* Whether a run goes on over the character that ends at `end`: fold_run.h, and any token. */
static bool is_run_character(struct span text, size_t from, size_t end)
{
    unsigned char first = (unsigned char)text.ptr[from];
    size_t len;

    if (first < 0x80) {
        return ascii_is((char)first, ASCII_TOKEN) || first == (unsigned char)UTF8_REPLACEMENT_BYTE;
    }
    uint32_t code_point = utf8_decode(span_slice(text, from, end), &len);
    return fold_kind(fold_value(code_point)) != FOLD_BREAK;
}

/* A space or a line's end behind a character in another dress, and with one that is not ASCII behind, or nothing: a stretch
 * goes on over it (fold_run.h). */
static bool is_within_stretch(struct span text, size_t first, size_t at)
{
    bool is_blank = text.ptr[at] == ' ' || text.ptr[at] == '\n';
    bool is_last = at + 1 == text.len || (unsigned char)text.ptr[at + 1] >= 0x80;
    size_t len;

    if (!is_blank || !is_last || at <= first || (unsigned char)text.ptr[at - 1] < 0x80) {
        return false;
    }
    uint32_t code_point = utf8_decode(span_slice(text, character_begin(text, at), at), &len);
    enum fold_kind kind = fold_kind(fold_value(code_point));
    return kind == FOLD_COMPAT || kind == FOLD_DROP || kind == FOLD_SPACE || kind == FOLD_DASH;
}

/* Its characters that are not ASCII may be folded where they stand. */
static struct pending find_run(struct span text, size_t first)
{
    struct pending p = {.from = text.len, .reread = SIZE_MAX};

    while (p.from > first) {
        size_t from = character_begin(text, p.from);
        if (from < first || !(is_run_character(text, from, p.from) || is_within_stretch(text, first, from))) {
            break;
        }
        p.from = from;
        if (!ascii_is(text.ptr[from], ASCII_TOKEN)) {
            p.reread = from;
        }
    }
    return p;
}

/* What is read otherwise from its first byte on. */
static struct pending from_here(struct span text, size_t from)
{
    return (struct pending){.from = from, .reread = from < text.len ? from : SIZE_MAX};
}

/* What is read on its own, so that nothing before it goes on in it. */
static struct pending apart(size_t from)
{
    return (struct pending){.from = from, .reread = SIZE_MAX};
}

/* --- escapes ---------------------------------------------------------------- */

static bool may_go_on_in_escape(char c)
{
    return ascii_is(c, ASCII_ALNUM) || c == '#' || c == '{' || c == '\\' || c == '%' || c == '-' ||
           c == '.';
}

static struct pending find_escape(struct span text, size_t first)
{
    size_t found = text.len;

    for (size_t at = text.len; at > first && text.len - at < ESCAPE_MAX; at--) {
        char c = text.ptr[at - 1];
        if (c == '&' || c == '%' || c == '\\') {
            found = at - 1;
        } else if (!may_go_on_in_escape(c)) {
            break;
        }
    }
    return from_here(text, found);
}

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

/* quoted_printable.c: encoded characters count over a line, so the first of them is pending until
 * the line ends. */
static struct pending find_encoded(struct span text, size_t first)
{
    const char *newline =
        text.len > first ? memrchr(text.ptr + first, '\n', text.len - first) : NULL;
    size_t at = newline != NULL ? (size_t)(newline - text.ptr) + 1 : first;
    size_t soft_break = newline != NULL ? soft_break_before(text, first, at - 1) : SIZE_MAX;

    if (soft_break != SIZE_MAX) {
        return from_here(text, soft_break);
    }
    for (; at < text.len; at++) {
        if (text.ptr[at] != '=') {
            continue;
        }
        bool is_high = at + 1 == text.len || ascii_is(text.ptr[at + 1], ASCII_DIGIT | ASCII_UPPER);
        bool is_low = at + 2 >= text.len || ascii_is(text.ptr[at + 2], ASCII_DIGIT | ASCII_UPPER);
        if (is_high && is_low) {
            return from_here(text, at);
        }
    }
    return apart(text.len);
}

/* --- single characters, numbers ---------------------------------------------- */

static bool is_word_at(struct span text, size_t at)
{
    return spaced_is_word(text, at);
}

/* Where the character begins that ends at `end`, if it may stand alone; SIZE_MAX otherwise. */
static size_t single_before(struct span text, size_t first, size_t end)
{
    if (end <= first) {
        return SIZE_MAX;
    }
    size_t from = character_begin(text, end);
    return from >= first && spaced_single_at(text, from) == end - from ? from : SIZE_MAX;
}

/* What stands so close to a character is more of its word. */
static bool is_no_separator(char c)
{
    return ascii_is(c, ASCII_ALNUM) || c == '_' || (unsigned char)c >= 0x80;
}

/* Where single characters begin of which the last ends at `end`, with the separator between; text.len when there are
 * none. */
static size_t singles_before(struct span text, size_t first, size_t end, char separator)
{
    size_t at = single_before(text, first, end);
    size_t blanks = 0;

    if (at == SIZE_MAX || is_no_separator(separator) || (at > 0 && is_word_at(text, at - 1))) {
        return text.len;
    }
    size_t begin = spaced_may_be_first(text.ptr[at]) ? at : text.len;
    for (size_t before; blanks <= SPACED_BLANKS_MAX && (before = spaced_before(text, first, at, separator)) != SIZE_MAX;) {
        at = before;
        blanks = ascii_is(text.ptr[at], ASCII_SPACE) ? blanks + 1 : 0;
        begin = spaced_may_be_first(text.ptr[at]) ? at : begin;
    }
    return begin;
}

/* "g h p _" and "g-h-p-_-", also with the last separator behind; spaced.c. A sign at the end may be either. */
static struct pending find_singles(struct span text, size_t first)
{
    size_t last = single_before(text, first, text.len);
    size_t from = text.len;

    if (last != SIZE_MAX) {
        from = singles_before(text, first, text.len, (char)(last > 0 ? text.ptr[last - 1] : ' '));
    }
    if (text.len > first && !is_word_at(text, text.len - 1)) {
        size_t with_separator = singles_before(text, first, text.len - 1, text.ptr[text.len - 1]);
        from = with_separator < from ? with_separator : from;
    }
    return apart(from);
}

/* turned_units.h: units one behind another. */
static struct pending find_turned(struct span text, size_t first)
{
    return apart(turned_units_pending(text, first));
}

/* A plus belongs to U+ alone: what stands before a list may end in one. */
static bool is_number_character(struct span text, size_t first, size_t at)
{
    char c = text.ptr[at];
    bool is_prefix = c == 'x' || c == 'X' || c == 'u' || c == 'U';

    return ascii_is(c, ASCII_HEX) || is_prefix || (c == '+' && at > first && (text.ptr[at - 1] | 0x20) == 'u');
}

/* Two hex digits, up to three decimal ones, or more behind a prefix; less at the text's end. */
static bool is_number(struct span number, bool is_at_end)
{
    bool has_prefix = number.len > 1 && ((number.ptr[0] | 0x20) == 'u' || number.ptr[0] == '0') &&
                      (number.ptr[1] == '+' || (number.ptr[1] | 0x20) == 'x');
    bool is_decimal = ascii_run_end(number, 0, ASCII_DIGIT) == number.len;

    return has_prefix || is_at_end || number.len == 2 || (number.len == 3 && is_decimal);
}

static bool is_gap_character(char c)
{
    return ascii_is(c, ASCII_SPACE) || c == ',' || c == ';' || c == ':' || c == '-' || c == '=';
}

/* A list of short numbers, with what stands between them; numbers.c. */
static struct pending find_list(struct span text, size_t first)
{
    size_t begin = text.len;
    size_t at = text.len;

    for (;;) {
        size_t gap = at;
        while (gap > first && at - gap < NUMBER_GAP_MAX && is_gap_character(text.ptr[gap - 1])) {
            gap--;
        }
        size_t number = gap;
        while (number > first && gap - number <= NUMBER_MAX &&
               is_number_character(text, first, number - 1)) {
            number--;
        }
        bool has_length = gap > number && gap - number <= NUMBER_MAX;
        bool stands_free = number == first || !is_word_at(text, number - 1);
        if (!has_length || !stands_free || (gap == at && at != text.len) ||
            !is_number(span_slice(text, number, gap), gap == text.len)) {
            return apart(begin);
        }
        begin = at = number;
    }
}

/* --- parts of strings -------------------------------------------------------- */

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

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
    return at > first && is_quote(text.ptr[at - 1]) ? at - 1 : SIZE_MAX;
}

static size_t open_before(struct span text, size_t first, size_t close)
{
    for (size_t at = close; at > first && close - at < LITERAL_MAX && text.ptr[at - 1] != '\n';
         at--) {
        if (text.ptr[at - 1] == text.ptr[close]) {
            return at - 1;
        }
    }
    return SIZE_MAX;
}

/* Where the first of the parts opens of which the last closes at `close`. */
static size_t parts_before(struct span text, size_t first, size_t close)
{
    size_t open = open_before(text, first, close);

    for (unsigned i = 0; open != SIZE_MAX && i < PARTS_MAX; i++) {
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
 * stands before them goes on behind the first closing quote, and from there on is read otherwise: the first part may begin
 * in what was let go. */
static void extend_parts(struct span text, size_t first, size_t end, struct pending *found)
{
    size_t close = close_before(text, first, end);
    size_t from = close == SIZE_MAX ? SIZE_MAX : parts_before(text, text.len > PARTS_LOOK_BACK ? text.len - PARTS_LOOK_BACK : 0, close);

    if (from < found->from) {
        const char *quote = memchr(text.ptr + from + 1, text.ptr[from], text.len - from - 1);
        found->from = from;
        found->reread = quote != NULL ? (size_t)(quote - text.ptr) : close;
    }
}

/* A string that has closed and may go on, or one that goes on and has not closed yet. */
static struct pending find_parts(struct span text, size_t first)
{
    struct pending found = apart(text.len);

    extend_parts(text, first, text.len, &found);
    for (size_t at = text.len; at > first && text.len - at < LITERAL_MAX; at--) {
        char c = text.ptr[at - 1];
        if (c == '\n') {
            break;
        }
        if (is_quote(c)) {
            extend_parts(text, first, at - 1, &found);
        }
    }
    return found;
}

/* --- wrapped tokens ----------------------------------------------------------- */

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
        .from = from, .may_be_first = to - tail >= WRAP_WORD_MIN, .may_be_next = end - from >= WRAP_TAIL_MIN};
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

/* What stands before the first word goes on behind its line. */
static struct pending find_wrapped(struct span text, size_t first)
{
    size_t end = text.len;
    struct pending found = apart(text.len);

    for (unsigned lines = 0; lines < LINES_MAX && end > first; lines++) {
        size_t at = newline_before(text, first, end);
        if (at == SIZE_MAX || (at < end && !is_word_alone(text, at + 1, end))) {
            break;
        }
        struct last_word word = last_word_of(text, first, at);
        if (word.may_be_first) {
            found.from = word.from;
            found.reread = ascii_run_end(text, word.from, ASCII_TOKEN);
        } else if (!word.may_be_next) {
            break;
        }
        end = at < end ? at : end - 1;
    }
    return found;
}

/* An escape may stand for a character of the run before it. */
static struct pending with_run_before(struct span text, size_t first, struct pending p)
{
    if (p.from < text.len) {
        struct pending run = find_run(span_slice(text, 0, p.from), first);
        p.from = run.from;
        p.reread = run.reread < p.reread ? run.reread : p.reread;
    }
    return p;
}

struct pending pending_find(struct span text, size_t first)
{
    static const struct {
        struct pending (*find)(struct span text, size_t first);
        bool is_long;     /* it stops by itself where what it reads begins */
        bool ends_in_run;
    } tests[] = {
        {find_escape, false, true}, {find_encoded, false, true}, {find_singles, true, false},
        {find_list, true, false},   {find_parts, false, false},  {find_wrapped, true, false},
        {find_turned, true, false},
    };
    size_t near = near_of(text);
    size_t limit = first > near ? first : near;
    struct pending found = find_run(text, first);

    for (size_t i = 0; i < COUNT(tests); i++) {
        struct pending p = tests[i].find(text, tests[i].is_long ? first : limit);
        p = tests[i].ends_in_run ? with_run_before(text, first, p) : p;
        found.from = p.from < found.from ? p.from : found.from;
        found.reread = p.reread < found.reread ? p.reread : found.reread;
    }
    found.from = found.from > first ? found.from : first;
    found.reread = found.reread > first ? found.reread : first;
    return found;
}
