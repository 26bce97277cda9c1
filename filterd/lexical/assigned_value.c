/* assigned_value.c - what is measured of a name and its value, and the score.
 *
 * Training and judging call the same functions, so a change of any measure, scale or constant here makes the shipped weights
 * wrong until `make train` has made them again.
 *
 * Invariants: what is measured depends on the bytes alone, not on the locale or the machine; a value of at least one byte
 * gives finite measures; no more than ASSIGNED_HASHED_MAX hashed features are made of any pair. */
#include "lexical/assigned_value.h"

#include <assert.h>
#include <math.h>

#include "base/ascii.h"
#include "lexical/assigned_words.h"
#include "lexical/code_shape.h"
#include "lexical/english.h"
#include "lexical/placeholder.h"
#include "lexical/word_shape.h"

enum {
    STEPS = 1024,     /* as in random_string.c */
    WEIGHT_UNITS = 16,
    WORDS_MAX = 3,    /* of the name, the last ones: words farther away are another name's */
    WORD_MAX = 24,    /* bytes of a word that count */
    PART_MIN = 12,    /* bytes of a part between joints that is scored by itself */
    LENGTH_SCALE = 64,
    SEPARATOR_MAX = 6,
};

/* What a hashed feature is about; part of its hash. */
enum topic {
    WORD_LAST = 1, WORD_ANY, WORD_PAIR, PIECE, SEPARATOR, MEANING, SHAPE, MEANING_SHAPE, MEANING_RANDOM, SEPARATOR_RANDOM, FORM, MEANING_FORM,
    SEPARATOR_SHAPE
};

/* --- hashing --------------------------------------------------------------------- */

/* FNV-1a. */
static uint32_t hash_bytes(uint32_t h, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < len; i++) {
        h = (h ^ p[i]) * 16777619U;
    }
    return h;
}

static void add(struct assigned_features *f, enum topic topic, const void *bytes, size_t len)
{
    unsigned char named = (unsigned char)topic;

    if (f->n_hashed < ASSIGNED_HASHED_MAX) {
        uint32_t h = hash_bytes(hash_bytes(2166136261U, &named, 1), bytes, len);
        f->hashed[f->n_hashed++] = (uint16_t)((h ^ h >> 16) % ASSIGNED_BUCKETS);
    }
}

/* --- the name -------------------------------------------------------------------- */

struct word {
    char text[WORD_MAX];
    size_t len;
};

struct name {
    struct word words[WORDS_MAX]; /* the last first */
    size_t n;
    size_t end; /* where it ends in `before` */
};

static bool is_name_byte(char c)
{
    return ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

/* Where a word that ends at `end` begins: at a capital behind a small letter, too. */
static size_t word_start(struct span text, size_t end)
{
    size_t at = end;

    while (at > 0 && is_name_byte(text.ptr[at - 1])) {
        at--;
        if (at > 0 && ascii_is_upper(text.ptr[at]) && ascii_is_lower(text.ptr[at - 1])) {
            break;
        }
    }
    return at;
}

static void take_word(struct name *name, struct span word)
{
    struct word *w = &name->words[name->n++];

    for (w->len = 0; w->len < word.len && w->len < WORD_MAX; w->len++) {
        w->text[w->len] = ascii_lower(word.ptr[w->len]);
    }
}

/* The last words of the line, of letters alone; of a line above where the value stands alone on its own. */
static struct name name_of(struct span before)
{
    struct name name = {0};
    size_t at = before.len;

    while (name.n < WORDS_MAX && at > 0 && (before.ptr[at - 1] != '\n' || name.n == 0)) {
        size_t start = word_start(before, at);
        if (start < at) {
            name.end = name.n == 0 ? at : name.end;
            take_word(&name, span_slice(before, start, at));
        }
        at = start < at ? start : at - 1;
    }
    return name;
}

static void add_words(struct assigned_features *f, const struct name *name)
{
    enum { PIECE_LEN = 3, OF_WORDS = 2 };

    for (size_t i = 0; i < name->n; i++) {
        const struct word *w = &name->words[i];
        add(f, i == 0 ? WORD_LAST : WORD_ANY, w->text, w->len);
        for (size_t k = 0; i < OF_WORDS && k + PIECE_LEN <= w->len; k++) {
            add(f, PIECE, w->text + k, PIECE_LEN);
        }
    }
    if (name->n > 1) {
        char pair[2 * WORD_MAX + 1];
        size_t len = name->words[1].len;
        memcpy(pair, name->words[1].text, len);
        pair[len] = ' ';
        memcpy(pair + len + 1, name->words[0].text, name->words[0].len);
        add(f, WORD_PAIR, pair, len + 1 + name->words[0].len);
    }
}

static bool is_plain(const struct word *word)
{
    return english_covered(span_of(word->text, word->len)) == word->len;
}

/* What the name says that the value is: something public, or what its last word says that says something, which a generic one
 * behind it (value, string) does not hide. */
static enum assigned_meaning meaning_of(const struct name *name)
{
    enum assigned_meaning first = ASSIGNED_UNKNOWN;

    for (size_t i = 0; i < name->n; i++) {
        enum assigned_meaning meaning = assigned_word_meaning(span_of(name->words[i].text, name->words[i].len));
        if (meaning == ASSIGNED_PUBLIC) {
            return meaning; /* public key, authenticity token */
        }
        first = first == ASSIGNED_UNKNOWN ? meaning : first;
    }
    return first == ASSIGNED_UNKNOWN && name->n > 0 && is_plain(&name->words[0]) ? ASSIGNED_PLAIN : first;
}

/* Between the name and the value, spaces as one; its last bytes. */
static size_t separator_of(struct span before, size_t from, char out[SEPARATOR_MAX])
{
    size_t n = 0;

    for (size_t at = before.len; at > from && n < SEPARATOR_MAX; at--) {
        char c = ascii_is_space(before.ptr[at - 1]) ? ' ' : before.ptr[at - 1];
        c = ascii_is_alnum(c) ? 'a' : c;
        if (n == 0 || out[n - 1] != c || c != ' ') {
            out[n++] = c;
        }
    }
    return n;
}

/* --- the value -------------------------------------------------------------------- */

/* NUL, too: as strchr has it, by which the weights were made. */
static bool is_joined_by(char c)
{
    return c == '_' || c == '-' || c == '.' || c == '/' || c == '+' || c == '=' || c == '\0';
}

/* Kinds of characters, two bits of length: short, of a password, of a key, long. */
static unsigned char shape_of(struct span value)
{
    unsigned shape = 0;
    bool has_symbol = false;

    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        shape |= ascii_is_lower(c) ? 1U : ascii_is_upper(c) ? 2U : ascii_is_digit(c) ? 4U : 0U;
        has_symbol = has_symbol || !(ascii_is_alnum(c) || is_joined_by(c));
    }
    unsigned length = value.len < 8 ? 0 : value.len < 16 ? 1 : value.len < 40 ? 2 : 3;
    return (unsigned char)(shape | (has_symbol ? 8U : 0U) | length << 4);
}

/* Likewise. */
static bool is_joint(char c)
{
    return c == '_' || c == '-' || c == '.' || c == ':' || c == '/' || c == '\0';
}

enum kind { LOWER, UPPER, DIGIT, JOINT, OTHER };

static enum kind kind_of(char c)
{
    return ascii_is_lower(c) ? LOWER : ascii_is_upper(c) ? UPPER : ascii_is_digit(c) ? DIGIT : is_joint(c) ? JOINT : OTHER;
}

/* How its kinds of characters follow one another, which tells what was drawn from a name of a few words and numbers: how often digits
 * begin, how often the kind changes, each in two bits, and whether digits are at the end alone. */
static unsigned char form_of(struct span value)
{
    unsigned changes = 0, digit_runs = 0;

    for (size_t i = 0; i < value.len; i++) {
        enum kind kind = kind_of(value.ptr[i]);
        bool is_change = i > 0 && kind != kind_of(value.ptr[i - 1]);
        changes += is_change;
        digit_runs += kind == DIGIT && (i == 0 || is_change);
    }
    bool ends_so = digit_runs == 1 && kind_of(value.ptr[value.len - 1]) == DIGIT && kind_of(value.ptr[0]) != DIGIT;
    unsigned share = changes * 8 / (unsigned)value.len;
    return (unsigned char)((digit_runs < 3 ? digit_runs : 3) | (share < 7 ? share : 7) << 2 | (ends_so ? 32U : 0U));
}

/* The highest score of a part; `whole` is that of all of it. */
static double part_score(struct span value, double whole)
{
    double highest = 0;
    size_t from = 0;

    for (size_t at = 0; at <= value.len && from < RANDOM_STRING_SAMPLE; at++) {
        if (at == value.len || is_joint(value.ptr[at])) {
            if (at - from >= PART_MIN) {
                bool is_whole = at - from == value.len;
                double score = is_whole ? whole : random_string_score(&random_string_shipped, span_slice(value, from, at), true);
                highest = score > highest ? score : highest;
            }
            from = at + 1;
        }
    }
    return highest;
}

static double english_of(struct span value)
{
    struct span part;
    size_t covered = 0;

    for (size_t at = 0; english_next_part(value, &at, &part);) {
        covered += english_covered(part);
    }
    return (double)covered / (double)value.len;
}

static void measure_value(struct span value, float out[ASSIGNED_MEASURES])
{
    const float *string = out + ASSIGNED_STRING;

    random_string_measure(&random_string_shipped, value, out + ASSIGNED_STRING);
    const double named = random_string_weigh(&random_string_shipped, string, true);
    const bool is_sample = value.len <= RANDOM_STRING_SAMPLE; /* then it has been measured whole */
    double found[ASSIGNED_STRING] = {
        [ASSIGNED_RANDOM] = random_string_weigh(&random_string_shipped, string, false),
        [ASSIGNED_RANDOM_NAMED] = named,
        [ASSIGNED_RANDOM_PART] = part_score(value, named),
        [ASSIGNED_LENGTH] = (double)(value.len < LENGTH_SCALE ? value.len : LENGTH_SCALE) / LENGTH_SCALE,
        [ASSIGNED_PLACEHOLDER] = placeholder_is(value),
        [ASSIGNED_CODE] = code_shape_is(value),
        [ASSIGNED_WORDS] = is_sample ? string[RANDOM_WORDS] : word_shape_is(value),
        [ASSIGNED_ENGLISH] = is_sample ? string[RANDOM_ENGLISH] : english_of(value),
    };

    for (int i = 0; i < ASSIGNED_STRING; i++) {
        out[i] = (float)(nearbyint(found[i] * STEPS) / STEPS);
    }
}

/* --- both ------------------------------------------------------------------------- */

static void add_crossed(struct assigned_features *f, const struct name *name, struct span value, const char *separator, size_t n_separator)
{
    enum { BINS = 4, NO_NAME = 255 };
    float named = f->measures[ASSIGNED_RANDOM_NAMED], part = f->measures[ASSIGNED_RANDOM_PART];
    unsigned char random = (unsigned char)((int)(named * (BINS - 0.01F)) << 4 | (int)(part * (BINS - 0.01F)));
    unsigned char of_meaning = name->n > 0 ? (unsigned char)meaning_of(name) : NO_NAME, shape = shape_of(value), form = form_of(value);
    char with_separator[SEPARATOR_MAX + 1];

    add(f, MEANING, &of_meaning, 1);
    add(f, SHAPE, &shape, 1);
    add(f, SEPARATOR, separator, n_separator);
    add(f, MEANING_SHAPE, (unsigned char[]){of_meaning, shape}, 2);
    add(f, MEANING_RANDOM, (unsigned char[]){of_meaning, random}, 2);
    memcpy(with_separator, separator, n_separator);
    with_separator[n_separator] = (char)random;
    add(f, SEPARATOR_RANDOM, with_separator, n_separator + 1);
    with_separator[n_separator] = (char)shape;
    add(f, SEPARATOR_SHAPE, with_separator, n_separator + 1);
    add(f, FORM, &form, 1);
    add(f, MEANING_FORM, (unsigned char[]){of_meaning, (unsigned char)(shape >> 4), form}, 3);
}

void assigned_value_measure(struct span before, struct span value, struct assigned_features *out)
{
    struct span near = span_slice(before, before.len > ASSIGNED_BEFORE ? before.len - ASSIGNED_BEFORE : 0, before.len);
    struct name name = name_of(near);
    char separator[SEPARATOR_MAX];
    size_t n_separator = separator_of(near, name.end, separator);

    assert(value.len > 0);
    out->n_hashed = 0;
    measure_value(value, out->measures);
    add_words(out, &name);
    add_crossed(out, &name, value, separator, n_separator);
}

double assigned_value_score(const struct assigned_value_model *m, struct span before, struct span value)
{
    struct assigned_features f;
    double z = 0;
    int hashed = 0;

    if (value.len == 0) {
        return 0;
    }
    assigned_value_measure(before, value, &f);
    for (size_t i = 0; i < f.n_hashed; i++) {
        hashed += m->hashed[f.hashed[i]];
    }
    for (int i = 0; i < ASSIGNED_MEASURES; i++) {
        z += (double)m->measures[i] * (double)f.measures[i];
    }
    return 1 / (1 + exp(-(z + (double)hashed / WEIGHT_UNITS)));
}
