/* literals.c - ''.join(["ab", "cd"]), CONCAT('ab', 'cd'), "ab".concat("cd"), s += "ab"; s += "cd": literals that a program
 * makes one string of, however short.
 *
 * Each is one word; between two of them is what code has there: signs, and names with a sign behind. A list that is only
 * separated by commas ends at a plain word, so that lists of words are no strings. concatenated.c reads what operators join for
 * every rule; what is read here more loosely counts for tokens alone (view_is_joined).
 *
 * Codes of characters in a row ('65', '75', '0x49') stay apart, so that numbers.c reads them in the view. */
#include "base/ascii.h"
#include "text/quote.h"
#include "view/transform.h"

enum {
    TEXT_MIN = 20,
    PART_MAX = 256,
    GAP_MAX = 48,
    NAMES_MAX = 3,
    PREFIX_MAX = 2, /* of a literal: b"…", rb"…" */
    PLAIN_MIN = 5,
    PARTS_MAX = 4096, /* more are not waited for as a whole */
    CODES_MIN = 8,    /* as in numbers.c */
};

#define OPEN SIZE_MAX
#define NONE ((size_t)0)

static bool is_name(char c)
{
    return ascii_is(c, ASCII_ALNUM) || c == '_' || c == '$';
}

/* What stands between two literals. */
struct gap {
    size_t open;   /* the quote behind it; OPEN when the text ends first; NONE */
    bool is_comma; /* it begins with a comma */
};

struct gap_state {
    size_t name_from; /* of the name at hand; NONE */
    bool is_name_done, has_line;
    char first, sign; /* signs: the first one, the last one */
    unsigned n_names;
};

static bool is_one_of(char c, const char *signs)
{
    return c != '\0' && strchr(signs, c) != NULL;
}

/* A name begins a statement or is a method's: it stands on a new line, or behind ; . ) or >. Elsewhere it is the prefix of a
 * literal at most. */
static bool take_name(struct gap_state *s, size_t at)
{
    bool is_new = s->name_from == NONE;
    bool is_prefix = s->first != '\0' && at - s->name_from < PREFIX_MAX;

    s->n_names += is_new;
    s->name_from = is_new ? at : s->name_from;
    return !s->is_name_done && s->n_names <= NAMES_MAX && (s->has_line || is_one_of(s->sign, ";.)>") || is_new || is_prefix);
}

/* Whether the character may come next. */
static bool take(struct gap_state *s, struct span text, size_t at)
{
    char c = text.ptr[at];
    bool is_behind_name = s->name_from != NONE;

    if (ascii_is(c, ASCII_SPACE)) {
        s->is_name_done = is_behind_name;
        s->has_line = s->has_line || c == '\n';
        return true;
    }
    if (is_name(c)) {
        return take_name(s, at);
    }
    bool is_assigned = c == '=' && is_one_of(text.ptr[at - 1], "+.|&~");
    if (!is_assigned && !is_one_of(c, is_behind_name ? "(.+-<|&~" : "+.&|\\,();[]<>~^-")) {
        return false;
    }
    s->name_from = NONE;
    s->is_name_done = s->has_line = false;
    s->sign = c;
    s->first = s->first == '\0' ? c : s->first;
    return true;
}

static struct gap read_gap(struct span text, size_t close)
{
    struct gap_state s = {.name_from = NONE};
    struct gap gap = {.open = NONE};
    size_t limit = text.len - close < GAP_MAX ? text.len : close + GAP_MAX, at = close + 1;

    while (at < limit && !quote_is(text.ptr[at]) && take(&s, text, at)) {
        at++;
    }
    gap.is_comma = s.first == ',';
    if (at == text.len) {
        gap.open = OPEN;
    } else if (at < limit && quote_is(text.ptr[at])) {
        bool is_prefix = s.name_from == NONE || (!s.is_name_done && at - s.name_from <= PREFIX_MAX && s.first != '\0');
        gap.open = is_prefix ? at : NONE;
    }
    return gap;
}

/* The quote that closes the word that `open` opens. */
static size_t close_of(struct span text, size_t open)
{
    size_t limit = text.len - open < PART_MAX ? text.len : open + PART_MAX;
    size_t close = open + 1;

    while (close < limit && ascii_is(text.ptr[close], ASCII_TOKEN)) {
        close++;
    }
    if (close == text.len) {
        return OPEN;
    }
    return close < limit && text.ptr[close] == text.ptr[open] ? close : NONE;
}

static size_t open_of(struct span text, size_t first, size_t close)
{
    size_t near = close - first < PART_MAX ? first : close - PART_MAX + 1;
    size_t from = ascii_run_begin(text, near, close, ASCII_TOKEN);

    return from > near && text.ptr[from - 1] == text.ptr[close] ? from - 1 : OPEN;
}

/* Small letters alone, or behind a capital. */
static bool is_plain_word(struct span word)
{
    return word.len >= PLAIN_MIN && ascii_is(word.ptr[0], ASCII_LETTER) &&
           ascii_run_end(word, 1, ASCII_LOWER) == word.len;
}

/* The gap behind the literal [open, close]; none behind a plain word in a list. */
static struct gap gap_behind(struct span text, size_t open, size_t close)
{
    struct gap gap = read_gap(text, close);

    if (gap.is_comma && is_plain_word(span_slice(text, open + 1, close))) {
        gap.open = NONE;
    }
    return gap;
}

/* Literals one behind another, from the one between `open` and `close` on. */
struct literals {
    size_t from, to; /* the first quote, behind the last */
    size_t n, n_chars;
    unsigned seen;
    bool is_open; /* the text ends before it is known whether they go on */
};

static void count_part(struct literals *l, struct span part)
{
    for (size_t i = 0; i < part.len; i++) {
        l->seen |= part.ptr[i] == '_' ? ASCII_DIGIT : ascii_classes[(unsigned char)part.ptr[i]];
    }
    l->n += part.len > 0;
    l->n_chars += part.len;
}

/* The literal behind the one that [*open, *close] is; false when there is none. */
static bool next_literal(struct span text, size_t *open, size_t *close, bool *is_open)
{
    struct gap gap = gap_behind(text, *open, *close);
    size_t next = gap.open == NONE || gap.open == OPEN ? gap.open : close_of(text, gap.open);

    *is_open = next == OPEN;
    if (next == NONE || next == OPEN) {
        return false;
    }
    if (gap.is_comma && is_plain_word(span_slice(text, gap.open + 1, next))) {
        return false;
    }
    *open = gap.open;
    *close = next;
    return true;
}

static void read_literals(struct span text, size_t open, size_t close, struct literals *l)
{
    *l = (struct literals){.from = open};
    do {
        l->to = close + 1;
        count_part(l, span_slice(text, open + 1, close));
    } while (next_literal(text, &open, &close, &l->is_open));
}

/* Whether the quote may close the first of several: a mark of the survey stands behind it. */
static bool may_close_first(struct span text, size_t at)
{
    return at > 0 && ascii_is(text.ptr[at - 1], ASCII_BASE64) && at + 1 < text.len &&
           (ascii_is(text.ptr[at + 1], ASCII_SPACE) || quote_is(text.ptr[at + 1]) || (text.ptr[at + 1] != '\0' && strchr(",)];|+.&\\", text.ptr[at + 1]) != NULL));
}

static bool find_literals(struct span text, size_t first, size_t *at, size_t end, struct region *out)
{
    for (; (*at = quote_next(text, *at, end)) < end; *at += 1) {
        struct literals l;
        size_t open = *at > first && may_close_first(text, *at) ? open_of(text, first, *at) : OPEN;
        if (open == OPEN) {
            continue;
        }
        read_literals(text, open, *at, &l);
        if (l.n > 1 && l.n_chars >= TEXT_MIN && (l.seen & ASCII_DIGIT) != 0) {
            *out = (struct region){.from = l.from, .to = l.to};
            return true;
        }
        *at = l.to - 1;
    }
    return false;
}

static bool next_literals(const struct source_piece *r, size_t at, struct region *out)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_PARTS)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        /* The mark is at the character behind the quote. */
        at = at % SURVEY_BLOCK == 0 && at > first ? at - 1 : at;
        if (find_literals(r->text, first, &at, end, out)) {
            return true;
        }
    }
    return false;
}

/* Two hex digits in a row with a letter among them are joined: both readings of such a row are in that one. */
static bool is_code(struct span word)
{
    bool is_hex = word.len > 2 && word.ptr[0] == '0' && (word.ptr[1] | 0x20) == 'x';
    bool is_point = word.len > 2 && (word.ptr[0] | 0x20) == 'u' && word.ptr[1] == '+';

    return is_hex || is_point ? ascii_run_end(word, 2, ASCII_HEX) == word.len
                              : (word.len == 2 || word.len == 3) && ascii_run_end(word, 0, ASCII_DIGIT) == word.len;
}

/* How many codes are in a row from the literal [open, close] on. */
static size_t count_codes(struct span text, size_t open, size_t close)
{
    size_t n = 0;
    bool is_open;

    do {
        n += is_code(span_slice(text, open + 1, close));
    } while (is_code(span_slice(text, open + 1, close)) && next_literal(text, &open, &close, &is_open));
    return n;
}

/* The gap behind the quote at `close`, as a blank. */
static void put_gap(struct builder *b, size_t close, size_t open)
{
    const struct origin gap = {.from = close, .len = open + 1 - close, .view_unit = 1, .parent_unit = (uint16_t)(open + 1 - close)};

    builder_put(b, span_str(" "), &gap);
}

static void rewrite_literals(const struct source_piece *r, const struct region *region, struct builder *b)
{
    size_t open = region->from;
    size_t close = close_of(r->text, open), before = open;
    size_t n_codes = 0; /* of the row at hand, those that are still to come */
    bool is_open, was_code = false;

    if (source_is_copy(r, region)) {
        return;
    }
    builder_begin(b, literals_transform.name, literals_transform.kind);
    do {
        if (n_codes == 0) {
            n_codes = count_codes(r->text, open, close);
            n_codes = n_codes < CODES_MIN ? 0 : n_codes;
        }
        if ((was_code || n_codes > 0) && before < open) {
            put_gap(b, before, open);
        }
        builder_copy(b, r->text, open + 1, close - open - 1);
        was_code = n_codes > 0;
        n_codes -= was_code;
        before = close;
    } while (!builder_has_failed(b) && next_literal(r->text, &open, &close, &is_open));
    builder_end(b);
}

/* --- what may go on --- */

/* The quote that closes the literal before `end`, with nothing between that ends a gap. */
static size_t close_before(struct span text, size_t first, size_t end)
{
    size_t limit = end - first < GAP_MAX ? first : end - GAP_MAX;

    for (size_t at = end; at > limit; at--) {
        if (quote_is(text.ptr[at - 1])) {
            return at - 1;
        }
    }
    return OPEN;
}

/* Where the literals begin of which the last one closes at `close`, when what is wanted follows; text.len when it does not. */
static size_t literals_before(struct span text, size_t first, size_t close, size_t wanted)
{
    size_t begin = text.len;

    for (unsigned i = 0; i < PARTS_MAX && close != OPEN; i++) {
        size_t open = open_of(text, first, close);
        if (open == OPEN || gap_behind(text, open, close).open != wanted) {
            break;
        }
        wanted = begin = open;
        close = close_before(text, first, open);
    }
    return begin;
}

/* The end may be in a gap behind a literal, or in a literal behind a gap. */
static struct pending literals_pending(struct span text, size_t first)
{
    size_t near = text.len - first > PART_MAX ? text.len - PART_MAX : first;
    size_t word = ascii_run_begin(text, near, text.len, ASCII_TOKEN);
    size_t from = literals_before(text, first, close_before(text, first, text.len), OPEN);

    if (word > first && quote_is(text.ptr[word - 1])) {
        size_t inside = literals_before(text, first, close_before(text, first, word - 1), word - 1);
        from = inside < from ? inside : from;
    }
    return pending_apart(from);
}

TRANSFORM_DEFINE(literals, "literals", VIEW_FOLDED, SURVEY_PARTS,
                 next_literals, rewrite_literals, literals_pending);
