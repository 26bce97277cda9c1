/* fold.c - characters that look like ASCII, or like nothing, in words that ought to be ASCII.
 *
 * Ordinary prose of every language stays as it is: a run is folded only when it is obfuscated
 * (fold_run.h). Most prose is passed over word by word without being counted as a run. */
#include "base/ascii.h"
#include "view/fold_run.h"
#include "text/fold_table.h"
#include "view/transform.h"
#include "text/utf8.h"
#include "text/vector.h"

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

/* Of the letters of a word so far: whether ASCII is among them, and what resembles it. */
struct letters {
    bool has_ascii, has_confusable;
};

/* Moves *at behind the letters of one script or another; the kind of what ended them, FOLD_FOREIGN
 * when it was not special. */
static enum fold_kind skip_letters(struct span text, size_t *at, struct letters *letters)
{
    while (*at < text.len) {
        if (ascii_is(text.ptr[*at], ASCII_LETTER)) {
            letters->has_ascii = true;
            *at += 1;
            continue;
        }
        if (!is_special(text.ptr[*at])) {
            break;
        }
        size_t len;
        enum fold_kind kind = fold_kind(value_at(text, *at, &len));
        if (kind < FOLD_FOREIGN || kind > FOLD_LATIN) {
            return kind;
        }
        letters->has_confusable = letters->has_confusable || kind == FOLD_CONFUSABLE;
        *at += len;
    }
    return FOLD_FOREIGN;
}

/* Behind the word around `at` if it is one of letters alone, and of one script: nearly all words of
 * prose that hold a special character. Else `at`. */
static size_t skip_plain_word(struct span text, size_t first, size_t at)
{
    size_t from = ascii_run_begin(text, first, at, ASCII_LETTER);
    size_t to = at;
    struct letters letters = {.has_ascii = from < at};

    if (from > first && ascii_is(text.ptr[from - 1], ASCII_TOKEN)) {
        return at;
    }
    enum fold_kind end = skip_letters(text, &to, &letters);
    bool is_plain = end == FOLD_BREAK || (end == FOLD_FOREIGN && ends_word(text, to));
    return is_plain && !(letters.has_confusable && letters.has_ascii) ? to : at;
}

/* Chinese characters, by their first byte alone: none of U+4000 to U+9FFF folds. */
static size_t skip_ideographs(struct span text, size_t at)
{
    while (at < text.len && (unsigned char)(text.ptr[at] - 0xe4) <= 0xe9 - 0xe4) {
        at += 3;
    }
    return at;
}

/* Whether the special character cannot be part of a run: it folds to nothing that is, or it is a
 * dash or a space with nothing before. */
static bool is_outside_runs(struct span text, size_t first, size_t at, uint16_t value)
{
    enum fold_kind kind = fold_kind(value);

    if (kind == FOLD_DASH || kind == FOLD_SPACE) {
        return at == first || !ascii_is(text.ptr[at - 1], ASCII_TOKEN);
    }
    return kind == FOLD_BREAK ||
           (kind == FOLD_COMPAT && !ascii_is((char)fold_payload(value), ASCII_TOKEN));
}

/* The first stretch or hidden character in [at, to), which is folded whatever run it is in: rewrite_folded folds it as soon as
 * anything else of its line is folded. */
static bool find_within_run(struct span text, size_t at, size_t to, struct region *change)
{
    while ((at = find_special(text, at)) < to) {
        size_t len;
        size_t end = fold_stretch_end(text, at);
        if (end > at || (end = fold_hidden_end(text, at)) > at) {
            *change = (struct region){.from = at, .to = end};
            return true;
        }
        (void)value_at(text, at, &len);
        at += len;
    }
    return false;
}

/* The first obfuscated run at or behind `at`, among characters that are special one after another;
 * else *at is behind them. */
static bool find_here(struct span text, size_t first, size_t *at, struct region *change)
{
    size_t len;

    while ((*at = skip_ideographs(text, *at)) < text.len && is_special(text.ptr[*at])) {
        uint16_t value = value_at(text, *at, &len);
        size_t end = fold_stretch_end(text, *at);
        if (end > *at || (end = fold_hidden_end(text, *at)) > *at) {
            *change = (struct region){.from = *at, .to = end};
            return true;
        }
        bool is_outside = is_outside_runs(text, first, *at, value);
        size_t plain = is_outside ? *at + len : skip_plain_word(text, first, *at);
        if (plain > *at) {
            bool is_space = plain < text.len && text.ptr[plain] == ' ';
            first = plain;
            *at = plain + is_space;
            continue;
        }
        struct fold_run run;
        size_t from = ascii_run_begin(text, first, *at, ASCII_TOKEN);
        fold_run_read(text, from, &run);
        if (fold_run_is_obfuscated(&run)) {
            *change = (struct region){.from = from, .to = run.to};
            return true;
        }
        if (find_within_run(text, *at + len, run.to, change)) {
            return true;
        }
        *at = run.to > *at ? run.to : *at + len;
        first = *at;
    }
    return false;
}

/* The first obfuscated run at or behind `at`: from its first special character's run on. */
static bool find_obfuscated(const struct source_piece *r, size_t at, struct region *change)
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

static bool next_obfuscated(const struct source_piece *r, size_t at, struct region *out)
{
    return source_next_lines(r, at, find_obfuscated, out);
}

/* Writes what the character at [at, at + len), in an obfuscated run, stands for. */
static void write_folded(const struct source_piece *r, size_t at, size_t len, uint16_t value, struct builder *b)
{
    switch (fold_kind(value)) {
    case FOLD_DROP:
    case FOLD_MARK:
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
    case FOLD_CONFUSABLE:
    case FOLD_LATIN:
        builder_put_code_point(b, fold_payload(value), at, len);
        return;
    case FOLD_BREAK:
    case FOLD_FOREIGN:
    default:
        builder_copy(b, r->text, at, len);
    }
}

/* Outside of obfuscated runs everything stays as it is: how a word reads must not depend on others of its line, which may
 * still be coming. */
static void rewrite_folded(const struct source_piece *r, const struct region *region, struct builder *b)
{
    struct span text = span_of(r->text.ptr, region->to);
    struct fold_run run = {.to = region->from};
    bool in_obfuscated_run = false;
    size_t done = region->from;
    size_t stretch = done; /* what is folded whatever the runs in it are */

    builder_begin(b, fold_transform.name, fold_transform.kind);
    while (done < text.len && !builder_has_failed(b)) {
        size_t at = find_special(text, done);
        builder_copy(b, r->text, done, at - done);
        if (at == text.len) {
            break;
        }
        if (at >= run.to) {
            fold_run_read(text, ascii_run_begin(text, done, at, ASCII_TOKEN), &run);
            in_obfuscated_run = run.to > at && fold_run_is_obfuscated(&run);
        }
        stretch = at >= stretch ? fold_stretch_end(text, at) : stretch;
        stretch = at >= stretch ? fold_hidden_end(text, at) : stretch;
        size_t len;
        uint16_t value = value_at(text, at, &len);
        if ((in_obfuscated_run && at < run.to) || at < stretch) {
            write_folded(r, at, len, value, b);
        } else {
            builder_copy(b, r->text, at, len);
        }
        done = at + len;
    }
    builder_end(b);
}

TRANSFORM_DEFINE(fold, "fold", VIEW_FOLDED, SURVEY_HIGH,
                 next_obfuscated, rewrite_folded, fold_run_pending);
