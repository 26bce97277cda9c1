#include "dataset/winnow.h"

static inline uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/* No letters before the first: their values take no part in a hash. */
static void begin_segment(struct winnow *w, size_t first)
{
    w->first = w->n_looked = first;
    w->is_over = false;
    w->rolling = 0;
    w->least = SIZE_MAX;
    for (size_t i = 1; i <= WINNOW_GRAM; i++) {
        w->value[(first - i) % WINNOW_RING] = 0;
    }
    for (size_t i = 0; i <= WINNOW_WINDOW; i++) {
        w->suffixes[i] = UINT64_MAX;
    }
}

void winnow_begin(struct winnow *w, const struct dataset_key *key, struct span text, size_t at)
{
    _Static_assert((WINNOW_RING & (WINNOW_RING - 1)) == 0, "numbers below zero have a place in the ring");
    w->key = key;
    w->text = text;
    w->at = at;
    w->n_letters = w->n_hashed = w->n_chosen = 0;
    begin_segment(w, 0);
}

/* --- letters ------------------------------------------------------------------------ */

/* How many letters: one that is folded to several letters of ASCII is these. */
static size_t values_of(const struct dataset_key *key, const struct letter *letter, uint64_t values[LETTER_BYTES])
{
    const bool is_ascii = (unsigned char)letter->bytes[0] < 0x80;
    uint64_t value = 0;
    size_t n = 0;

    for (unsigned i = 0; i < letter->n; i++) {
        value = (is_ascii ? 0 : rotate(value, 9)) ^ key->letters[(unsigned char)letter->bytes[i]];
        if (is_ascii || i + 1 == letter->n) {
            values[n++] = value;
        }
    }
    return n;
}

static size_t put_wide(struct winnow *w, size_t n, const struct letter *letter, size_t at)
{
    uint64_t values[LETTER_BYTES];
    const size_t n_values = values_of(w->key, letter, values);

    for (size_t i = 0; i < n_values; i++) {
        w->from[n % WINNOW_RING] = (uint32_t)at;
        w->value[n++ % WINNOW_RING] = values[i];
    }
    return n;
}

/* A byte that is no letter is written, too, and the next one over it: no branch depends on the text but for what is beyond ASCII. */
static void read_letters(struct winnow *w)
{
    const struct span text = w->text;
    const uint64_t *ascii = w->key->ascii;
    const size_t end = text.len - w->at < WINNOW_BLOCK ? text.len : w->at + WINNOW_BLOCK;
    size_t at = w->at, n = w->n_letters;

    while (at < end) {
        const unsigned char c = (unsigned char)text.ptr[at];
        if (c >= 0x80) {
            const struct letter letter = letter_wide(text, at);
            n = put_wide(w, n, &letter, at);
            at += letter.len;
            continue;
        }
        w->from[n % WINNOW_RING] = (uint32_t)at++;
        w->value[n % WINNOW_RING] = ascii[c];
        n += ascii[c] != 0;
    }
    w->at = at;
    w->n_letters = n;
}

static bool begins_segment(const struct winnow *w, size_t letter)
{
    const size_t from = winnow_from(w, letter);

    return letter > w->first && from > winnow_to(w, letter - 1) + WINNOW_GAP_MAX;
}

/* --- grams -------------------------------------------------------------------------- */

/* Of the letters that were read, up to a gap; false: up to their end. */
static bool hash_letters(struct winnow *w)
{
    uint64_t *gram = w->gram, rolling = w->rolling;
    size_t i = w->n_hashed;
    uint32_t before = w->from[(i > 0 ? i - 1 : 0) % WINNOW_RING];
    bool is_gap = false;

    for (; i < w->n_letters; i++) {
        const uint32_t from = w->from[i % WINNOW_RING];
        if (from - before > WINNOW_GAP_MAX + 1 && begins_segment(w, i)) {
            is_gap = true;
            break;
        }
        before = from;
        rolling = rotate(rolling, 1) ^ w->value[i % WINNOW_RING] ^ rotate(w->value[(i - WINNOW_GRAM) % WINNOW_RING], WINNOW_GRAM);
        gram[(i - (WINNOW_GRAM - 1)) % WINNOW_RING] = rolling;
    }
    w->n_hashed = i;
    w->rolling = rolling;
    return is_gap;
}

/* --- windows ------------------------------------------------------------------------- */

/* A hash with, in its last bits, its place in two groups of grams: the first of equals is the least. */
static inline uint64_t placed(uint64_t hash, size_t place)
{
    return (hash & ~(uint64_t)(2 * WINNOW_WINDOW - 1)) | place;
}

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The windows that end with the next n grams, a whole group of WINNOW_WINDOW but at a segment's end: the least of each is that of the
 * group's beginning or of the end of the group before (van Herk 1992; Gil and Werman 1993). */
static void look_at_group(struct winnow *w, size_t n)
{
    const size_t base = w->n_looked;
    const size_t first_window = base == w->first ? WINNOW_WINDOW - 1 : 0; /* that has all its grams */
    uint64_t least = UINT64_MAX;
    size_t chosen = w->least, n_chosen = w->n_chosen;

    for (size_t i = 0; i < n; i++) {
        least = lesser(least, placed(w->gram[(base + i) % WINNOW_RING], WINNOW_WINDOW + i));
        if (i >= first_window) {
            const size_t gram = base - WINNOW_WINDOW + (lesser(least, w->suffixes[i + 1]) & (2 * WINNOW_WINDOW - 1));
            w->chosen[n_chosen] = gram;
            w->last_of[n_chosen] = base + i;
            n_chosen += gram != chosen;
            chosen = gram;
        }
    }
    w->n_looked = base + n;
    w->n_chosen = n_chosen;
    w->least = chosen;
    if (n < WINNOW_WINDOW) {
        return;
    }
    for (size_t i = WINNOW_WINDOW; i-- > 0;) {
        w->suffixes[i] = lesser(w->suffixes[i + 1], placed(w->gram[(base + i) % WINNOW_RING], i));
    }
}

size_t winnow_grams_end(const struct winnow *w)
{
    return w->n_hashed < w->first + WINNOW_GRAM ? w->first : w->n_hashed - (WINNOW_GRAM - 1);
}

static void look_at_groups(struct winnow *w)
{
    while (winnow_grams_end(w) - w->n_looked >= WINNOW_WINDOW) {
        look_at_group(w, WINNOW_WINDOW);
    }
}

static void look_at_rest(struct winnow *w)
{
    look_at_groups(w);
    if (winnow_grams_end(w) > w->n_looked) {
        look_at_group(w, winnow_grams_end(w) - w->n_looked);
    }
}

void winnow_finish(struct winnow *w)
{
    uint64_t least = UINT64_MAX;

    w->n_chosen = 0;
    if (w->n_looked == w->first || w->n_looked - w->first >= WINNOW_WINDOW) {
        return;
    }
    for (size_t i = w->first; i < w->n_looked; i++) {
        least = lesser(least, placed(w->gram[i % WINNOW_RING], i - w->first));
    }
    w->last_of[0] = w->n_looked - 1;
    w->chosen[w->n_chosen++] = w->first + (least & (2 * WINNOW_WINDOW - 1));
}

enum winnow_event winnow_next(struct winnow *w)
{
    w->n_chosen = 0;
    if (w->is_over) {
        begin_segment(w, w->n_hashed);
    }
    if (w->n_hashed == w->n_letters) {
        if (w->at == w->text.len) {
            look_at_rest(w);
            return WINNOW_END;
        }
        read_letters(w);
    }
    if (!hash_letters(w)) {
        look_at_groups(w);
        return WINNOW_READ;
    }
    look_at_rest(w);
    if (w->least == SIZE_MAX) {
        winnow_finish(w);
    }
    w->is_over = true;
    return WINNOW_SEGMENT;
}

/* --- one window ---------------------------------------------------------------------- */

/* The values of the first letters; false: there are fewer. */
static bool read_window(const struct dataset_key *key, struct span text, size_t at, size_t end, uint64_t *values)
{
    size_t n = 0;

    while (at < end && n < WINNOW_LETTERS) {
        const unsigned char c = (unsigned char)text.ptr[at];
        if (c >= 0x80) {
            const struct letter letter = letter_wide(text, at);
            at += letter.len;
            n += at <= end ? values_of(key, &letter, values + n) : 0;
            continue;
        }
        values[n] = key->ascii[c];
        n += values[n] != 0;
        at++;
    }
    return n >= WINNOW_LETTERS;
}

bool winnow_window(const struct dataset_key *key, struct span text, size_t at, size_t end, uint64_t *gram)
{
    uint64_t values[WINNOW_LETTERS + LETTER_BYTES], grams[WINNOW_WINDOW], rolling = 0, least;

    if (!read_window(key, text, at, end, values)) {
        return false;
    }
    for (size_t i = 0; i < WINNOW_GRAM; i++) {
        rolling = rotate(rolling, 1) ^ values[i];
    }
    grams[0] = rolling;
    least = placed(rolling, 0);
    for (size_t i = 1; i < WINNOW_WINDOW; i++) {
        rolling = rotate(rolling, 1) ^ values[i + WINNOW_GRAM - 1] ^ rotate(values[i - 1], WINNOW_GRAM);
        grams[i] = rolling;
        least = lesser(least, placed(rolling, i));
    }
    *gram = grams[least & (WINNOW_WINDOW - 1)];
    return true;
}

uint64_t winnow_hash(const struct dataset_key *key, uint64_t gram)
{
    char bytes[sizeof(gram)];

    memcpy(bytes, &gram, sizeof(bytes));
    return dataset_hash(key, 'g', span_of(bytes, sizeof(bytes)));
}

uint64_t winnow_hash_in(const struct dataset_key *key, uint64_t gram, uint32_t document)
{
    char bytes[sizeof(gram) + sizeof(document)];

    memcpy(bytes, &gram, sizeof(gram));
    memcpy(bytes + sizeof(gram), &document, sizeof(document));
    return dataset_hash(key, 'd', span_of(bytes, sizeof(bytes)));
}
