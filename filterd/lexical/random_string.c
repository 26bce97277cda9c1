/* random_string.c - what is measured of a string, and the score.
 *
 * Training and judging call the same functions, so a change of any measure, scale or constant here makes the shipped weights
 * wrong until `make train` has made them again.
 *
 * Invariants: each measure is finite for every string of at least one byte and lies about in 0 to 1; it depends on the bytes
 * alone, not on the locale; it is rounded to steps that are the same on every machine. */
#include "lexical/random_string.h"

#include <assert.h>
#include <math.h>

#include "base/ascii.h"
#include "formats/base64.h"
#include "lexical/english.h"
#include "lexical/word_shape.h"

enum {
    STRETCH = 16,          /* so that a token inside of a longer name shows in RANDOM_PAIRS_LEAST */
    PRINTABLE_FIRST = '!', /* of the table of pairs */
    ENOUGH = 20,           /* characters; RANDOM_SHORT is what a string lacks to them */
    STEPS = 1024,          /* coarser than what the logarithms of two machines differ by, finer than a weight notices */
    TEXT_MIN = 12,         /* decoded bytes: fewer are printable by chance too often */
};

static const double pair_scale = 4; /* bits: the unit of RANDOM_PAIRS, which brings the mean to about 1 at most */

unsigned random_string_symbol(char c)
{
    unsigned place = (unsigned)(unsigned char)c - PRINTABLE_FIRST;

    return place < RANDOM_STRING_SYMBOLS - 1 ? place : RANDOM_STRING_SYMBOLS - 1;
}

/* --- pairs -------------------------------------------------------------------- */

static void measure_pairs(const struct random_string_model *m, struct span s, double *out)
{
    int16_t pairs[STRETCH] = {0}; /* of the last stretch, in a ring */
    unsigned before = RANDOM_STRING_SYMBOLS - 1;
    int sum = 0, stretch = 0, least = 0, most = 0;

    for (size_t i = 0; i < s.len; i++) {
        unsigned symbol = random_string_symbol(s.ptr[i]);
        const int16_t pair = m->pairs[before][symbol];
        before = symbol;
        sum += pair;
        stretch += pair - pairs[i % STRETCH];
        pairs[i % STRETCH] = pair;
        if (i + 1 == STRETCH || i + 1 == s.len || i + 1 > STRETCH) {
            bool is_first = i + 1 <= STRETCH;
            least = is_first || stretch < least ? stretch : least;
            most = is_first || stretch > most ? stretch : most;
        }
    }
    double n = (double)s.len, of_stretch = n < STRETCH ? n : STRETCH, unit = RANDOM_STRING_UNITS * pair_scale;
    out[RANDOM_PAIRS] = sum / n / unit;
    out[RANDOM_PAIRS_LEAST] = least / of_stretch / unit;
    out[RANDOM_PAIRS_MOST] = most / of_stretch / unit;
}

/* --- characters ---------------------------------------------------------------- */

enum kind { KIND_DIGIT, KIND_UPPER, KIND_LOWER, KIND_JOINT, KIND_OTHER, KINDS };

/* Whether the character is one of those whose bits are set: `low` of the first 64, `high` of the next. */
static inline bool is_among(char c, uint64_t low, uint64_t high)
{
    const unsigned byte = (unsigned char)c;

    return ((byte < 64 ? low : high) >> byte % 64 & 1) != 0 && byte < 128;
}

/* By tables: what a random string has next is guessed wrong as often as not. */
static inline enum kind kind_of(char c)
{
    static const uint8_t of_class[] = {KIND_OTHER, KIND_DIGIT, KIND_UPPER, KIND_OTHER, KIND_LOWER};
    static const uint64_t low = UINT64_C(1) << '-' | UINT64_C(1) << '.' | UINT64_C(1) << '/' | UINT64_C(1) << ':';
    static const uint64_t high = UINT64_C(1) << ('_' - 64) | UINT64_C(1) << ('\\' - 64);

    return is_among(c, low, high) ? KIND_JOINT : of_class[ascii_classes[(unsigned char)c] & ASCII_ALNUM];
}

static inline bool is_vowel(char c)
{
    static const uint32_t of_letters = 1U << ('a' & 31) | 1U << ('e' & 31) | 1U << ('i' & 31) | 1U << ('o' & 31) | 1U << ('u' & 31) |
                                       1U << ('y' & 31);

    return (of_letters >> (c & 31) & 1) != 0 && ascii_is_letter(c);
}

/* Capitals at the front of a word are no change. */
static inline bool is_change(enum kind before, enum kind kind)
{
    static const uint8_t changes[KINDS] = {
        [KIND_DIGIT] = 1U << KIND_UPPER | 1U << KIND_LOWER | 1U << KIND_OTHER,
        [KIND_UPPER] = 1U << KIND_DIGIT | 1U << KIND_OTHER,
        [KIND_LOWER] = 1U << KIND_DIGIT | 1U << KIND_UPPER | 1U << KIND_OTHER,
        [KIND_OTHER] = 1U << KIND_DIGIT | 1U << KIND_UPPER | 1U << KIND_LOWER,
    };

    return (changes[before] >> kind & 1) != 0;
}

static void measure_kinds(struct span s, double *out)
{
    size_t counts[KINDS] = {0}, changes = 0, vowels = 0, part = 0, longest = 0;
    enum kind before = KIND_JOINT; /* to the first one nothing is a change */
    double n = (double)s.len;

    for (size_t i = 0; i < s.len; i++) {
        enum kind kind = kind_of(s.ptr[i]);
        counts[kind]++;
        vowels += is_vowel(s.ptr[i]);
        changes += is_change(before, kind);
        before = kind;
        part = kind == KIND_JOINT ? 0 : part + 1;
        longest = part > longest ? part : longest;
    }
    size_t letters = counts[KIND_UPPER] + counts[KIND_LOWER];
    out[RANDOM_DIGITS] = (double)counts[KIND_DIGIT] / n;
    out[RANDOM_UPPER] = (double)counts[KIND_UPPER] / n;
    out[RANDOM_LOWER] = (double)counts[KIND_LOWER] / n;
    out[RANDOM_JOINTS] = (double)counts[KIND_JOINT] / n;
    out[RANDOM_SYMBOLS_OTHER] = (double)counts[KIND_OTHER] / n;
    out[RANDOM_CHANGES] = (double)changes / n;
    out[RANDOM_VOWELS] = letters > 0 ? (double)vowels / (double)letters : 0;
    out[RANDOM_LONGEST_PART] = (double)longest / n;
    out[RANDOM_DECIMAL] = letters + counts[KIND_OTHER] == 0;
}

static double entropy_of(struct span s)
{
    uint16_t counts[256] = {0}, last = 0;
    uint64_t seen[256 / 64] = {0};
    double entropy = 0, part = 0;

    for (size_t i = 0; i < s.len; i++) {
        counts[(unsigned char)s.ptr[i]]++;
        seen[(unsigned char)s.ptr[i] / 64] |= (uint64_t)1 << (unsigned char)s.ptr[i] % 64;
    }
    for (size_t word = 0; word < COUNT(seen); word++) {
        for (uint64_t left = seen[word]; left != 0; left &= left - 1) {
            uint16_t count = counts[word * 64 + (size_t)__builtin_ctzll(left)];
            if (count != last) {
                double share = (double)count / (double)s.len;
                part = share * log2(share);
                last = count;
            }
            entropy -= part;
        }
    }
    return entropy;
}

enum { SLOTS_BITS = 15, FEW_TRIPLES = 32 };

static uint32_t slot_of_triple(struct span s, size_t last)
{
    uint32_t triple = (uint32_t)(unsigned char)s.ptr[last - 2] << 16 | (uint32_t)(unsigned char)s.ptr[last - 1] << 8 |
                      (unsigned char)s.ptr[last];

    return triple * 2654435761U >> (32 - SLOTS_BITS);
}

/* Without the table, which takes longer to clear. */
static size_t repeated_few_triples(struct span s)
{
    uint32_t slots[FEW_TRIPLES];
    size_t n = 0;

    for (size_t i = 2; i < s.len; i++) {
        size_t k = 0;
        slots[i - 2] = slot_of_triple(s, i);
        while (slots[k] != slots[i - 2]) {
            k++;
        }
        n += k < i - 2;
    }
    return n;
}

/* Triples are distinguished by a small table of their hashes: one in a few hundred is taken for another. */
static size_t repeated_triples(struct span s)
{
    if (s.len <= FEW_TRIPLES) {
        return repeated_few_triples(s);
    }
    uint8_t seen[1 << (SLOTS_BITS - 3)] = {0}; /* 4 KiB of stack; at most RANDOM_STRING_SAMPLE of 32768 slots are taken */
    size_t n = 0;

    for (size_t i = 2; i < s.len; i++) {
        uint32_t slot = slot_of_triple(s, i);
        uint8_t bit = (uint8_t)(1U << (slot & 7));
        n += (seen[slot >> 3] & bit) != 0;
        seen[slot >> 3] |= bit;
    }
    return n;
}

static void measure_order(struct span s, double *out)
{
    size_t run = 1, longest = 1, steps = 0;
    double n = (double)s.len, possible = log2(n < 64 ? n : 64);

    for (size_t i = 1; i < s.len; i++) {
        int step = s.ptr[i] - s.ptr[i - 1];
        run = step == 0 ? run + 1 : 1;
        longest = run > longest ? run : longest;
        steps += step == 1 || step == -1;
    }
    out[RANDOM_ENTROPY] = possible > 0 ? entropy_of(s) / possible : 0;
    out[RANDOM_LENGTH] = log2(n) / 8;
    out[RANDOM_SHORT] = n < ENOUGH ? (ENOUGH - n) / ENOUGH : 0;
    out[RANDOM_RUN] = (double)(longest - 1) / n;
    out[RANDOM_STEPS] = (double)steps / n;
    out[RANDOM_REPEATED] = (double)repeated_triples(s) / n;
}

static void measure_words(struct span s, double *out)
{
    struct span part;
    size_t covered = 0;

    for (size_t at = 0; english_next_part(s, &at, &part);) {
        covered += english_covered(part);
    }
    out[RANDOM_ENGLISH] = (double)covered / (double)s.len;
    out[RANDOM_WORDS] = word_shape_is(s);
}

/* --- forms --------------------------------------------------------------------- */

static bool is_hex(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!ascii_is(s.ptr[i], ASCII_HEX)) {
            return false;
        }
    }
    return true;
}

/* MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512. */
static bool is_digest_length(size_t bytes)
{
    return bytes == 16 || bytes == 20 || bytes == 28 || bytes == 32 || bytes == 48 || bytes == 64;
}

static size_t padding_of(struct span s)
{
    size_t n = 0;

    while (n < s.len && n < 2 && s.ptr[s.len - 1 - n] == '=') {
        n++;
    }
    return n;
}

/* Behind sha256- and the like, as lock files write it. */
static struct span without_algorithm(struct span s)
{
    static const char *const algorithms[] = {"sha1-", "sha256-", "sha384-", "sha512-"};

    for (size_t i = 0; i < COUNT(algorithms); i++) {
        if (ascii_starts_with(s, algorithms[i])) {
            return span_slice(s, strlen(algorithms[i]), s.len);
        }
    }
    return s;
}

/* Of a digest whose number of bytes leaves no padding, the length alone says too little. */
static bool is_digest_base64(struct span s)
{
    size_t padding = padding_of(s), digits = s.len - padding;

    return padding > 0 && s.len % 4 == 0 && is_digest_length(s.len / 4 * 3 - padding) &&
           base64_run(s, BASE64_STANDARD) == digits;
}

static bool is_uuid(struct span s)
{
    static const char shape[] = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";

    if (s.len != sizeof(shape) - 1) {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        if (shape[i] == '-' ? s.ptr[i] != '-' : !ascii_is(s.ptr[i], ASCII_HEX)) {
            return false;
        }
    }
    return true;
}

/* Nearly all of what it decodes to is printable ASCII; of random bytes little more than a third is. */
static bool is_text(struct span s)
{
    size_t len = 0, printable = 0, whole = s.len - padding_of(s);

    if (whole / 4 * 3 < TEXT_MIN) {
        return false;
    }
    uint8_t bytes[RANDOM_STRING_SAMPLE];
    if (!base64_decode(span_slice(s, 0, whole / 4 * 4), BASE64_EITHER, bytes, sizeof(bytes), &len) || len < TEXT_MIN) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        printable += (bytes[i] >= 0x20 && bytes[i] < 0x7f) || (bytes[i] >= '\t' && bytes[i] <= '\r');
    }
    return printable * 10 >= len * 9;
}

static void measure_forms(struct span whole, struct span s, double *out)
{
    bool has_hex = is_hex(s);
    struct span digest = without_algorithm(whole);

    out[RANDOM_HEX] = has_hex;
    out[RANDOM_TEXT] = is_text(s);
    out[RANDOM_DIGEST_HEX] = digest.len % 2 == 0 && is_digest_length(digest.len / 2) && is_hex(digest);
    out[RANDOM_DIGEST_BASE64] = is_digest_base64(digest);
    out[RANDOM_UUID] = is_uuid(whole);
}

void random_string_measure(const struct random_string_model *m, struct span value, float out[RANDOM_FEATURES])
{
    struct span s = span_slice(value, 0, value.len < RANDOM_STRING_SAMPLE ? value.len : RANDOM_STRING_SAMPLE);
    double found[RANDOM_FEATURES] = {[RANDOM_ALWAYS] = 1};

    assert(s.len <= RANDOM_STRING_SAMPLE);
    if (s.len > 0) {
        measure_pairs(m, s, found);
        measure_kinds(s, found);
        measure_order(s, found);
        measure_words(s, found);
        measure_forms(value, s, found);
    }
    /* In steps, so that the last digits of a logarithm, which differ between machines, are none of it. */
    for (int i = 0; i < RANDOM_FEATURES; i++) {
        out[i] = (float)(nearbyint(found[i] * STEPS) / STEPS);
    }
}

double random_string_weigh(const struct random_string_model *m, const float measured[RANDOM_FEATURES], bool is_labelled)
{
    double z = 0;

    for (int i = 0; i < RANDOM_FEATURES; i++) {
        bool is_form = i == RANDOM_DIGEST_HEX || i == RANDOM_DIGEST_BASE64 || i == RANDOM_UUID;
        z += is_form && is_labelled ? 0 : (double)m->weights[i] * (double)measured[i];
    }
    return 1 / (1 + exp(-z));
}

double random_string_score(const struct random_string_model *m, struct span value, bool is_labelled)
{
    float measured[RANDOM_FEATURES];

    if (value.len == 0) {
        return 0;
    }
    random_string_measure(m, value, measured);
    return random_string_weigh(m, measured, is_labelled);
}
