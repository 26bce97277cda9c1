#include "dataset/winnow.h"

static uint64_t rotate(uint64_t x, unsigned n)
{
    return n == 0 ? x : x << n | x >> (64 - n);
}

static void begin_segment(struct winnow *w)
{
    w->n_letters = 0;
    w->is_over = false;
    w->rolling = 0;
    w->least = UINT64_MAX;
    w->min_gram = 0;
    w->chosen = SIZE_MAX;
}

void winnow_begin(struct winnow *w, const struct dataset_key *key, struct span text)
{
    w->key = key;
    w->text = text;
    w->at = w->end = 0;
    begin_segment(w);
}

/* The first least of the window that ends with `last`. */
static void find_least(struct winnow *w, size_t last)
{
    size_t first = last + 1 > WINNOW_WINDOW ? last + 1 - WINNOW_WINDOW : 0;

    w->least = UINT64_MAX;
    w->min_gram = first;
    for (size_t i = first; i <= last; i++) {
        if (w->ring[i % WINNOW_RING].gram < w->least) {
            w->least = w->ring[i % WINNOW_RING].gram;
            w->min_gram = i;
        }
    }
}

/* Of gram `g`, which has just been completed. True when it makes a window whose least is new. */
static bool choose(struct winnow *w, size_t g)
{
    uint64_t hash = w->rolling;

    /* A letter repeated without end has one gram: none of them says anything. */
    w->ring[g % WINNOW_RING].gram = hash;
    if (g > 0 && w->ring[g % WINNOW_RING].value == w->ring[(g - 1) % WINNOW_RING].value &&
        w->ring[(g + WINNOW_GRAM - 1) % WINNOW_RING].value == w->ring[g % WINNOW_RING].value) {
        w->ring[g % WINNOW_RING].gram = UINT64_MAX;
    }
    if (g > w->min_gram + WINNOW_WINDOW - 1 || g == 0) {
        find_least(w, g);
    } else if (w->ring[g % WINNOW_RING].gram < w->least) {
        w->least = w->ring[g % WINNOW_RING].gram;
        w->min_gram = g;
    }
    if (g + 1 < WINNOW_WINDOW || w->least == UINT64_MAX || w->chosen == w->min_gram) {
        return false;
    }
    w->chosen = w->min_gram;
    return true;
}

static uint64_t value_of(const struct winnow *w, const struct letter *letter)
{
    uint64_t value = w->key->letters[(unsigned char)letter->bytes[0]];

    for (unsigned i = 1; i < letter->n; i++) {
        value = rotate(value, 9) ^ w->key->letters[(unsigned char)letter->bytes[i]];
    }
    return value;
}

static inline bool add_letter(struct winnow *w, uint64_t value, size_t len)
{
    size_t i = w->n_letters++;

    w->rolling = rotate(w->rolling, 1) ^ value;
    if (i >= WINNOW_GRAM) {
        w->rolling ^= rotate(w->ring[(i - WINNOW_GRAM) % WINNOW_RING].value, WINNOW_GRAM);
    }
    w->ring[i % WINNOW_RING].from = (uint32_t)w->at;
    w->ring[i % WINNOW_RING].to = (uint32_t)(w->at + len);
    w->ring[i % WINNOW_RING].value = value;
    w->end = w->at + len;
    w->at = w->end;
    return i + 1 >= WINNOW_GRAM && choose(w, i + 1 - WINNOW_GRAM);
}

enum winnow_event winnow_next(struct winnow *w)
{
    if (w->is_over) {
        begin_segment(w);
    }
    while (w->at < w->text.len) {
        const unsigned char c = (unsigned char)w->text.ptr[w->at];
        if (w->n_letters > 0 && w->at - w->end > WINNOW_GAP_MAX) {
            w->is_over = true;
            return WINNOW_RESET;
        }
        if (c < 0x80) { /* nearly all of most texts */
            if (letters_ascii[c] != 0) {
                return add_letter(w, w->key->letters[(unsigned char)letters_ascii[c]], 1) ? WINNOW_CHOSEN : WINNOW_LETTER;
            }
            w->at++;
            continue;
        }
        struct letter letter = letter_wide(w->text, w->at);
        if (letter.n > 0) {
            return add_letter(w, value_of(w, &letter), letter.len) ? WINNOW_CHOSEN : WINNOW_LETTER;
        }
        w->at += letter.len;
    }
    return WINNOW_END;
}

bool winnow_hash(const struct winnow *w, size_t gram, uint64_t *hash)
{
    uint64_t rolling = w->ring[gram % WINNOW_RING].gram;
    char bytes[sizeof(rolling)];

    memcpy(bytes, &rolling, sizeof(bytes));
    *hash = dataset_hash(w->key, 'g', span_of(bytes, sizeof(bytes)));
    return rolling != UINT64_MAX;
}
