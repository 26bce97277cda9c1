/* fold.c - characters that look like ASCII, or like nothing, in words that ought to be ASCII.
 *
 * Ordinary prose of every language stays as it is. What decides is the run: ASCII token characters
 * and whatever the fold table knows (letters of the alphabets with spaces, invisible characters,
 * marks, other dresses of ASCII), without a character of another kind between. A run is folded when
 * it would become ASCII and something in it says that it was meant to be. */
#include "text/ascii.h"
#include "text/fold_table.h"
#include "text/transform.h"
#include "text/utf8.h"

enum {
    COMPAT_MIN = 6,         /* full-width and the like: a word, not a unit of measure */
    DASHED_DIGITS_MIN = 9,  /* a telephone or card number, not two years */
    HIDDEN_RUN_MIN = 6,     /* invisible characters: the run they are in */
    MARKED_RUN_MIN = 6,     /* combining marks on nearly all of so many letters */
    MARKED_TOKEN_MIN = 8,   /* … or on some of a word with digits or _ */
    MIXED_WORD_MIN = 6,     /* two scripts in one word */
    LATIN_TOKEN_MIN = 10,   /* resembling Latin letters, in a word with digits or _ */
    FOREIGN_TOKEN_MIN = 10, /* a word of another script alone, with digits or _ */
    DRESSED_TOKEN_MIN = 12, /* a few characters in another dress */
};

/* A word: letters, digits and _. */
struct word {
    size_t len, letters, token_signs; /* ASCII letters; digits and _, in any dress */
    size_t confusable, latin, foreign;
};

struct run {
    size_t to; /* its end */
    size_t len, letters, digits, token_signs, compat, dashes, marks, hidden, foreign;
    size_t pending_hidden;  /* invisible ones that nothing of the run follows yet */
    bool has_mixed_word;    /* resembling letters where they cannot be meant */
};

static void end_word(struct run *run, struct word *word)
{
    size_t dressed = word->confusable + word->latin;
    bool is_mixed = word->confusable > 0 && word->letters > 0 && word->len >= MIXED_WORD_MIN;
    bool is_token = dressed > 0 && word->token_signs > 0 &&
                    word->len >= (word->confusable > 0 ? FOREIGN_TOKEN_MIN : LATIN_TOKEN_MIN);

    if (word->foreign == 0 && (is_mixed || is_token)) {
        run->has_mixed_word = true;
    }
    run->foreign += word->foreign;
    *word = (struct word){0};
}

/* Counts a character that folds to, or is, this one. False when it ends the run. */
static bool count_ascii(struct run *run, struct word *word, char c)
{
    if (!ascii_is(c, ASCII_TOKEN)) {
        return false;
    }
    run->hidden += run->pending_hidden;
    run->pending_hidden = 0;
    run->len++;
    if (!ascii_is(c, ASCII_ALNUM) && c != '_') {
        end_word(run, word);
        return true;
    }
    bool is_letter = ascii_is(c, ASCII_LETTER);
    word->len++;
    word->letters += is_letter;
    word->token_signs += !is_letter;
    run->letters += is_letter;
    run->digits += ascii_is(c, ASCII_DIGIT);
    run->token_signs += !is_letter;
    return true;
}

/* Counts a letter that resembles an ASCII one but is none. */
static void count_lookalike(struct run *run, struct word *word, char c, bool is_latin)
{
    size_t letters = word->letters;
    size_t run_letters = run->letters;

    (void)count_ascii(run, word, c);
    word->letters = letters;
    run->letters = run_letters;
    word->latin += is_latin;
    word->confusable += !is_latin;
}

static bool count_character(struct run *run, struct word *word, uint32_t code_point)
{
    if (code_point < 0x80 && code_point != UTF8_REPLACEMENT_BYTE) {
        return count_ascii(run, word, (char)code_point);
    }
    uint16_t value = fold_value(code_point);
    char c = (char)fold_payload(value);
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
        count_lookalike(run, word, c, fold_kind(value) == FOLD_LATIN);
        return true;
    case FOLD_COMPAT:
        run->compat += ascii_is(c, ASCII_ALNUM);
        return count_ascii(run, word, c);
    case FOLD_STRING:
        run->compat++;
        return count_ascii(run, word, 'a');
    case FOLD_DASH:
        run->dashes++;
        return run->len > 0 && count_ascii(run, word, '-');
    case FOLD_SPACE: /* as in "+33 6 12", with a space that does not break */
        run->dashes++;
        return run->digits > 0 && run->letters == 0 && count_ascii(run, word, '-');
    case FOLD_BREAK:
    default:
        return false;
    }
}

static bool is_dressed(const struct run *run)
{
    bool has_digits_and_letters = run->token_signs > 0 && run->letters > 0;
    bool is_marked = run->marks > 0 &&
                     ((run->letters >= MARKED_RUN_MIN && run->marks + 1 >= run->letters) ||
                      (run->len >= MARKED_TOKEN_MIN && has_digits_and_letters));

    if (run->has_mixed_word || run->compat >= COMPAT_MIN ||
        (run->compat > 0 && run->len >= DRESSED_TOKEN_MIN && has_digits_and_letters)) {
        return true;
    }
    if (run->foreign > 0) {
        return false;
    }
    return is_marked || (run->hidden > 0 && run->len >= HIDDEN_RUN_MIN) ||
           (run->dashes > 0 && run->digits >= DASHED_DIGITS_MIN);
}

/* Reads the run from `at` on, which ends before `limit`. */
static void read_run(struct span text, size_t at, struct run *run)
{
    struct word word = {0};

    *run = (struct run){0};
    while (at < text.len) {
        size_t len;
        uint32_t code_point = utf8_decode(span_of(text.ptr + at, text.len - at), &len);
        if (!count_character(run, &word, code_point)) {
            break;
        }
        at += len;
    }
    end_word(run, &word);
    run->to = at;
}

/* Whether a character that the fold table may know starts here. */
static bool is_special(char c)
{
    return (unsigned char)c >= 0xc0 || c == UTF8_REPLACEMENT_BYTE;
}

static uint16_t value_at(struct span text, size_t at, size_t *len)
{
    return fold_value(utf8_decode(span_of(text.ptr + at, text.len - at), len));
}

/* The first dressed run at or behind `at`: from its first special character's run on. */
static bool find_dressed(const struct reading *r, size_t at, struct region *change)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_HIGH)) < r->text.len) {
        if (!is_special(r->text.ptr[at])) {
            at++;
            continue;
        }
        size_t len;
        if (fold_kind(value_at(r->text, at, &len)) == FOLD_BREAK) {
            at += len;
            first = at;
            continue;
        }
        size_t from = ascii_run_begin(r->text, first, at, ASCII_TOKEN);
        struct run run;
        read_run(r->text, from, &run);
        if (is_dressed(&run)) {
            *change = (struct region){.from = from, .to = run.to};
            return true;
        }
        at = run.to > at ? run.to : at + len;
        first = at;
    }
    return false;
}

static bool next_dressed(const struct reading *r, size_t at, struct region *out)
{
    return reading_next_lines(r, at, find_dressed, out);
}

/* Writes what the character at [at, at + len) stands for. Letters that only resemble are taken for
 * what they resemble inside of dressed runs alone. */
static void write_folded(const struct reading *r, size_t at, size_t len, uint16_t value,
                         bool in_dressed_run, struct builder *b)
{
    switch (fold_kind(value)) {
    case FOLD_DROP:
        return;
    case FOLD_MARK:
        if (!in_dressed_run) {
            builder_copy(b, r->text, at, len);
        }
        return;
    case FOLD_STRING: {
        const char *string = fold_strings[fold_payload(value)];
        for (size_t i = 0; string[i] != '\0'; i++) {
            builder_put_code_point(b, (unsigned char)string[i], at, len);
        }
        return;
    }
    case FOLD_COMPAT:
    case FOLD_DASH:
    case FOLD_SPACE:
        builder_put_code_point(b, fold_payload(value), at, len);
        return;
    case FOLD_CONFUSABLE:
    case FOLD_LATIN:
        if (in_dressed_run) {
            builder_put_code_point(b, fold_payload(value), at, len);
            return;
        }
        break;
    case FOLD_BREAK:
    case FOLD_FOREIGN:
    default:
        break;
    }
    builder_copy(b, r->text, at, len);
}

static size_t find_special(struct span text, size_t at)
{
    while (at < text.len && !is_special(text.ptr[at])) {
        at++;
    }
    return at;
}

static void rewrite_folded(const struct reading *r, const struct region *region,
                           struct builder *b)
{
    struct span text = span_of(r->text.ptr, region->to);
    struct run run = {.to = region->from};
    bool in_dressed_run = false;
    size_t done = region->from;

    builder_begin(b, fold_transform.name, fold_transform.kind);
    while (done < text.len && !builder_has_failed(b)) {
        size_t at = find_special(text, done);
        builder_copy(b, r->text, done, at - done);
        if (at == text.len) {
            break;
        }
        if (at >= run.to) {
            read_run(text, ascii_run_begin(text, done, at, ASCII_TOKEN), &run);
            in_dressed_run = run.to > at && is_dressed(&run);
        }
        size_t len;
        uint16_t value = value_at(text, at, &len);
        write_folded(r, at, len, value, in_dressed_run, b);
        done = at + len;
    }
    builder_end(b);
}

const struct transform fold_transform = {
    .name = "fold",
    .kind = VIEW_FOLDED,
    .marks = SURVEY_HIGH,
    .next = next_dressed,
    .rewrite = rewrite_folded,
};
