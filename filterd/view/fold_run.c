/* fold_run.c - reads a run once from its start, counts what is in it, and decides by the counts.
 *
 * Invariants:
 *   - A run ends before the first character that count_character refuses; that one is in no count. Invisible characters
 *     count as hidden when something of the run follows them, so that those at its end do not make it obfuscated.
 *   - is_run_character accepts every character that count_character may accept, whatever was counted before. So the run
 *     and the stretch at the end of a text lie in what fold_run_pending reports, and a stream that holds that back
 *     decides about them as the whole text does.
 *   - Offsets are bytes and lie between characters; counts are characters. The text is valid UTF-8 or repaired
 *     (text/utf8.h).
 *   - Threads: there is no state; any thread may call. */
#include "view/fold_run.h"

#include <assert.h>

#include "base/ascii.h"
#include "text/fold_table.h"
#include "view/transform.h"
#include "text/utf8.h"

enum {
    COMPAT_MIN = 6,         /* full-width and the like: a word, not a unit of measure */
    GROUPED_DIGITS_MIN = 9, /* a telephone or card number, not two years */
    HIDDEN_RUN_MIN = 4,     /* invisible characters: the run they are in */
    MARKED_RUN_MIN = 6,     /* combining marks on nearly all of so many letters */
    MARKED_TOKEN_MIN = 8,   /* … or on some of a word with digits or _ */
    MIXED_WORD_MIN = 7,     /* two scripts in one word */
    LATIN_TOKEN_MIN = 10,   /* resembling letters, in a word with digits or _ */
    COMPAT_TOKEN_MIN = 12, /* a few characters in a compatibility form */
    STRETCH_MIN = 12,       /* signs and letters in a compatibility form, without one of a language between */
    STRETCH_ALNUM_MIN = 6,  /* among the first ones: signs alone are no token */
    STRETCH_LOOK = 32,
};

/* A word: letters, digits and _. */
struct word {
    size_t len;
    size_t letters, signs; /* ASCII letters; ASCII digits and _ */
    size_t confusable, latin, foreign;
    bool is_mixed; /* an ASCII letter and a resembling one of another script touch */
    bool was_ascii, was_confusable; /* the last character */
};

static void end_group(struct fold_run *run)
{
    run->odd_groups += run->groups > 0 && run->group != 3;
    run->group = 0;
}

/* A word that resembles a token: mixed in the middle, or of resembling letters with digits. */
static void end_word(struct fold_run *run, struct word *word)
{
    bool is_lookalike = word->latin > 0 || (word->confusable > 0 && word->letters == 0);
    bool is_token = is_lookalike && word->signs > 0 && word->len >= LATIN_TOKEN_MIN;

    if (word->foreign == 0 && ((word->is_mixed && word->len >= MIXED_WORD_MIN) || is_token)) {
        run->has_obfuscated_word = true;
    }
    run->foreign += word->foreign;
    *word = (struct word){0};
}

/* Counts a character that is, or folds to, this one. False when it ends the run. */
static bool count_ascii(struct fold_run *run, struct word *word, char c)
{
    if (!ascii_is(c, ASCII_TOKEN)) {
        return false;
    }
    run->hidden += run->pending_hidden;
    run->pending_hidden = 0;
    run->len++;
    if (!ascii_is(c, ASCII_ALNUM) && c != '_') {
        run->points += c == '.';
        end_word(run, word);
        end_group(run);
        return true;
    }
    bool is_letter = ascii_is(c, ASCII_LETTER);
    word->len++;
    word->letters += is_letter;
    word->signs += !is_letter;
    word->is_mixed = word->is_mixed || (is_letter && word->was_confusable);
    word->was_ascii = is_letter;
    word->was_confusable = false;
    run->letters += is_letter;
    run->digits += ascii_is(c, ASCII_DIGIT);
    run->group += ascii_is(c, ASCII_DIGIT);
    run->signs += !is_letter;
    return true;
}

/* Counts a letter that resembles an ASCII one but is none. */
static void count_lookalike(struct fold_run *run, struct word *word, bool is_latin)
{
    run->hidden += run->pending_hidden;
    run->pending_hidden = 0;
    run->len++;
    word->len++;
    word->latin += is_latin;
    word->confusable += !is_latin;
    word->is_mixed = word->is_mixed || (!is_latin && word->was_ascii);
    word->was_ascii = false;
    word->was_confusable = !is_latin;
}

/* Counts a dash, or a space that does not break, as in "+33 6 12": between digits alone. */
static bool count_separator(struct fold_run *run, struct word *word, bool is_space)
{
    if (run->len == 0 || (is_space && (run->group == 0 || run->letters > 0))) {
        return false;
    }
    (void)count_ascii(run, word, '-');
    run->groups++;
    return true;
}

/* Counts a character in a compatibility form: no sign of a token by itself. */
static bool count_compat(struct fold_run *run, struct word *word, char c)
{
    size_t signs = run->signs;
    size_t word_signs = word->signs;

    run->compat += ascii_is(c, ASCII_ALNUM);
    if (!count_ascii(run, word, c)) {
        return false;
    }
    run->signs = signs;
    word->signs = word_signs < word->signs ? word_signs : word->signs;
    return true;
}

static bool count_character(struct fold_run *run, struct word *word, uint32_t code_point)
{
    if (code_point < 0x80 && code_point != UTF8_REPLACEMENT_BYTE) {
        return count_ascii(run, word, (char)code_point);
    }
    uint16_t value = fold_value(code_point);
    switch (fold_kind(value)) {
    case FOLD_DROP:
        run->pending_hidden += run->len > 0;
        return true;
    case FOLD_MARK:
        run->marks += run->len > 0;
        return true;
    case FOLD_FOREIGN:
        word->foreign++;
        run->len++;
        return true;
    case FOLD_CONFUSABLE:
    case FOLD_LATIN:
        count_lookalike(run, word, fold_kind(value) == FOLD_LATIN);
        return true;
    case FOLD_COMPAT:
        return count_compat(run, word, (char)fold_payload(value));
    case FOLD_STRING:
        return count_compat(run, word, fold_strings[fold_payload(value)][0]);
    case FOLD_DASH:
    case FOLD_SPACE:
        return count_separator(run, word, fold_kind(value) == FOLD_SPACE);
    case FOLD_BREAK:
    default:
        return false;
    }
}

bool fold_run_is_obfuscated(const struct fold_run *run)
{
    bool is_token = run->signs > 0 && run->letters > 0;
    bool is_marked =
        run->marks > 0 && ((run->letters >= MARKED_RUN_MIN && run->marks + 1 >= run->letters) ||
                           (run->len >= MARKED_TOKEN_MIN && is_token));

    if (run->has_obfuscated_word || run->compat >= COMPAT_MIN ||
        (run->compat > 0 && run->len >= COMPAT_TOKEN_MIN && is_token)) {
        return true;
    }
    if (run->foreign > 0) {
        return false;
    }
    return is_marked || (run->hidden > 0 && run->len >= HIDDEN_RUN_MIN) ||
           (run->odd_groups > 0 && run->points == 0 && run->digits >= GROUPED_DIGITS_MIN);
}

void fold_run_read(struct span text, size_t at, struct fold_run *run)
{
    struct word word = {0};

    assert(at <= text.len);
    *run = (struct fold_run){0};
    while (at < text.len) {
        size_t len;
        uint32_t code_point = utf8_decode(span_of(text.ptr + at, text.len - at), &len);
        if (!count_character(run, &word, code_point)) {
            break;
        }
        at += len;
    }
    end_word(run, &word);
    end_group(run);
    run->to = at;
}

static enum fold_kind kind_at(struct span text, size_t at, size_t *len, char *payload)
{
    uint32_t code_point = utf8_decode(span_slice(text, at, text.len), len);
    uint16_t value = fold_value(code_point);

    *payload = (char)fold_payload(value);
    return fold_kind(value);
}

static bool is_compat_at(struct span text, size_t at)
{
    size_t len;
    char c;

    if (at >= text.len || (unsigned char)text.ptr[at] < 0xc0) {
        return false;
    }
    enum fold_kind kind = kind_at(text, at, &len, &c);
    return kind == FOLD_COMPAT || kind == FOLD_DASH;
}

size_t fold_stretch_end(struct span text, size_t at)
{
    size_t n = 0;
    size_t n_alnum = 0;
    size_t end = at;
    size_t len;
    char c;

    for (size_t next = at; next < text.len; next += len) {
        enum fold_kind kind = kind_at(text, next, &len, &c);
        if (kind == FOLD_COMPAT || (kind == FOLD_DASH && n > 0)) {
            n++;
            n_alnum += ascii_is(c, ASCII_ALNUM);
            end = next + len;
            if (n == STRETCH_LOOK && n_alnum < STRETCH_ALNUM_MIN) {
                return at;
            }
        } else if (n == 0 || (kind != FOLD_DROP && kind != FOLD_SPACE &&
                              !((text.ptr[next] == ' ' || text.ptr[next] == '\n') && is_compat_at(text, next + len)))) {
            break;
        }
    }
    return n >= STRETCH_MIN && n_alnum >= STRETCH_ALNUM_MIN ? end : at;
}

static bool is_ascii_text(struct span text, size_t at)
{
    return at < text.len && ascii_is(text.ptr[at], ASCII_PRINT);
}

size_t fold_hidden_end(struct span text, size_t at)
{
    size_t end = at;
    size_t len;
    char c;

    if (at == 0 || !is_ascii_text(text, at - 1)) {
        return at;
    }
    while (end < text.len && kind_at(text, end, &len, &c) == FOLD_DROP) {
        end += len;
    }
    bool is_between = end > at && is_ascii_text(text, end);
    return is_between && !(text.ptr[at - 1] == ' ' && text.ptr[end] == ' ') ? end : at;
}

/* --- what may go on --- */

static enum fold_kind fold_kind_at(struct span text, size_t at)
{
    size_t len;

    return fold_kind(fold_value(utf8_decode(span_slice(text, at, text.len), &len)));
}

/* Whether a run may go on over the character at [from, end). */
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

/* A space or a line's end that a stretch in a compatibility form may go on over. Letters of an alphabet are in none,
 * so a text in Greek or Russian is not held over its spaces. */
static bool is_within_stretch(struct span text, size_t first, size_t at)
{
    size_t next = at + 1;

    if ((text.ptr[at] != ' ' && text.ptr[at] != '\n') || at <= first || (unsigned char)text.ptr[at - 1] < 0x80) {
        return false;
    }
    enum fold_kind before = fold_kind_at(text, character_begin(text, at));
    enum fold_kind behind = next < text.len ? fold_kind_at(text, next) : FOLD_COMPAT;
    bool is_in = before == FOLD_COMPAT || before == FOLD_DASH || before == FOLD_DROP || before == FOLD_SPACE;
    return is_in && (behind == FOLD_COMPAT || behind == FOLD_DASH);
}

struct pending fold_run_pending(struct span text, size_t first)
{
    struct pending p = {.from = text.len, .altered = SIZE_MAX};

    assert(first <= text.len);
    while (p.from > first) {
        size_t from = character_begin(text, p.from);
        if (from < first || !(is_run_character(text, from, p.from) || is_within_stretch(text, first, from))) {
            break;
        }
        p.from = from;
        if (!ascii_is(text.ptr[from], ASCII_TOKEN)) {
            p.altered = from;
        }
    }
    assert(p.from >= first && p.altered >= p.from);
    return p;
}

struct pending fold_run_pending_before(struct span text, size_t first, struct pending p)
{
    if (p.from < text.len) {
        struct pending run = fold_run_pending(span_slice(text, 0, p.from), first);
        p.from = run.from;
        p.altered = run.altered < p.altered ? run.altered : p.altered;
    }
    return p;
}
