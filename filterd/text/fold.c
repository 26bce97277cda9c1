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
#include "text/vector.h"

enum {
    COMPAT_MIN = 6,         /* full-width and the like: a word, not a unit of measure */
    GROUPED_DIGITS_MIN = 9, /* a telephone or card number, not two years */
    HIDDEN_RUN_MIN = 4,     /* invisible characters: the run they are in */
    MARKED_RUN_MIN = 6,     /* combining marks on nearly all of so many letters */
    MARKED_TOKEN_MIN = 8,   /* … or on some of a word with digits or _ */
    MIXED_WORD_MIN = 7,     /* two scripts in one word */
    LATIN_TOKEN_MIN = 10,   /* resembling letters, in a word with digits or _ */
    DRESSED_TOKEN_MIN = 12, /* a few characters in another dress */
};

/* A word: letters, digits and _. */
struct word {
    size_t len;
    size_t letters, signs; /* ASCII letters; ASCII digits and _ */
    size_t confusable, latin, foreign;
    bool is_mixed; /* an ASCII letter and a resembling one of another script touch */
    bool was_ascii, was_confusable; /* the last character */
};

struct run {
    size_t to; /* its end */
    size_t len, letters, digits, signs, compat, marks, hidden, foreign, points;
    size_t pending_hidden; /* invisible ones that nothing of the run follows yet */
    size_t group;          /* digits since the last dash or space */
    size_t groups;         /* behind a dash or space that is not ASCII */
    size_t odd_groups;     /* not of three digits, as those of large numbers are */
    bool has_dressed_word; /* letters that only resemble where they cannot be meant */
};

static void end_group(struct run *run)
{
    run->odd_groups += run->groups > 0 && run->group != 3;
    run->group = 0;
}

/* A word that resembles a token: mixed in the middle, or of resembling letters with digits. */
static void end_word(struct run *run, struct word *word)
{
    bool is_lookalike = word->latin > 0 || (word->confusable > 0 && word->letters == 0);
    bool is_token = is_lookalike && word->signs > 0 && word->len >= LATIN_TOKEN_MIN;

    if (word->foreign == 0 && ((word->is_mixed && word->len >= MIXED_WORD_MIN) || is_token)) {
        run->has_dressed_word = true;
    }
    run->foreign += word->foreign;
    *word = (struct word){0};
}

/* Counts a character that is, or folds to, this one. False when it ends the run. */
static bool count_ascii(struct run *run, struct word *word, char c)
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
static void count_lookalike(struct run *run, struct word *word, bool is_latin)
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
static bool count_separator(struct run *run, struct word *word, bool is_space)
{
    if (run->len == 0 || (is_space && (run->group == 0 || run->letters > 0))) {
        return false;
    }
    (void)count_ascii(run, word, '-');
    run->groups++;
    return true;
}

/* Counts a character in another dress: no sign of a token by itself. */
static bool count_compat(struct run *run, struct word *word, char c)
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

static bool count_character(struct run *run, struct word *word, uint32_t code_point)
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

static bool is_dressed(const struct run *run)
{
    bool is_token = run->signs > 0 && run->letters > 0;
    bool is_marked =
        run->marks > 0 && ((run->letters >= MARKED_RUN_MIN && run->marks + 1 >= run->letters) ||
                           (run->len >= MARKED_TOKEN_MIN && is_token));

    if (run->has_dressed_word || run->compat >= COMPAT_MIN ||
        (run->compat > 0 && run->len >= DRESSED_TOKEN_MIN && is_token)) {
        return true;
    }
    if (run->foreign > 0) {
        return false;
    }
    return is_marked || (run->hidden > 0 && run->len >= HIDDEN_RUN_MIN) ||
           (run->odd_groups > 0 && run->points == 0 && run->digits >= GROUPED_DIGITS_MIN);
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
    end_group(run);
    run->to = at;
}

/* Whether a character that the fold table may know starts here. */
static bool is_special(char c)
{
    return (unsigned char)c >= 0xc0 || c == UTF8_REPLACEMENT_BYTE;
}

static inline uint16_t value_at(struct span text, size_t at, size_t *len)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr + at;
    *len = 1;
    return bytes[0] < 0x80 ? fold_value(bytes[0]) : fold_value_of(bytes, len);
}

static size_t find_special(struct span text, size_t at)
{
    for (; text.len - at >= VECTOR_SIZE; at += VECTOR_SIZE) {
        vector_bytes v = vector_load(text.ptr + at);
        unsigned found =
            vector_top_bits(vector_in_range(v, 0xc0, 0xff) | vector_is(v, UTF8_REPLACEMENT_BYTE));
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
    while (at < text.len && !is_special(text.ptr[at])) {
        at++;
    }
    return at;
}

/* Whether a word ends at `at`: end of the text, white space, a comma, the end of a sentence. */
static bool ends_word(struct span text, size_t at)
{
    if (at < text.len && text.ptr[at] == '.') {
        at++;
    }
    return at == text.len || !(ascii_is(text.ptr[at], ASCII_TOKEN) || is_special(text.ptr[at]));
}

/* Behind the word around `at` if it is one of letters alone, and of one script: nearly all words of
 * prose that hold a special character. Else `at`. */
static size_t skip_plain_word(struct span text, size_t first, size_t at)
{
    size_t from = ascii_run_begin(text, first, at, ASCII_LETTER);
    size_t to = at;
    bool has_ascii = from < at;
    bool has_confusable = false;

    if (from > first && ascii_is(text.ptr[from - 1], ASCII_TOKEN)) {
        return at;
    }
    for (; to < text.len; to++) {
        if (ascii_is(text.ptr[to], ASCII_LETTER)) {
            has_ascii = true;
            continue;
        }
        if (!is_special(text.ptr[to])) {
            break;
        }
        size_t len;
        enum fold_kind kind = fold_kind(value_at(text, to, &len));
        if (kind < FOLD_FOREIGN || kind > FOLD_LATIN) {
            return kind == FOLD_BREAK && !(has_confusable && has_ascii) ? to : at;
        }
        has_confusable = has_confusable || kind == FOLD_CONFUSABLE;
        to += len - 1;
    }
    return ends_word(text, to) && !(has_confusable && has_ascii) ? to : at;
}

/* The first dressed run at or behind `at`, among characters that are special one after another;
 * else *at is behind them. */
static bool find_here(struct span text, size_t first, size_t *at, struct region *change)
{
    while (*at < text.len && is_special(text.ptr[*at])) {
        size_t len;
        if (value_at(text, *at, &len) == 0) {
            *at += len;
            first = *at;
            continue;
        }
        size_t plain = skip_plain_word(text, first, *at);
        if (plain > *at) {
            bool is_space = plain < text.len && text.ptr[plain] == ' ';
            *at = plain + is_space;
            first = plain;
            continue;
        }
        struct run run;
        size_t from = ascii_run_begin(text, first, *at, ASCII_TOKEN);
        read_run(text, from, &run);
        if (is_dressed(&run)) {
            *change = (struct region){.from = from, .to = run.to};
            return true;
        }
        *at = run.to > *at ? run.to : *at + len;
        first = *at;
    }
    return false;
}

/* The first dressed run at or behind `at`: from its first special character's run on. */
static bool find_dressed(const struct reading *r, size_t at, struct region *change)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_HIGH)) < r->text.len) {
        at = find_special(r->text, at);
        if (find_here(r->text, first, &at, change)) {
            return true;
        }
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

static void rewrite_folded(const struct reading *r, const struct region *region, struct builder *b)
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
