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

/* --- letters of ASCII, many at a time ------------------------------------------------- */

/* What winnow_next keeps in `winnow`, for a loop that keeps it in registers. */
struct run {
    size_t at, end, n;
    uint64_t rolling, least;
    size_t min_gram, chosen;
};

static struct run run_of(const struct winnow *w)
{
    return (struct run){w->at, w->end, w->n_letters, w->rolling, w->least, w->min_gram, w->chosen};
}

static void keep_run(struct winnow *w, const struct run *r)
{
    w->at = r->at;
    w->end = r->end;
    w->n_letters = r->n;
    w->rolling = r->rolling;
    w->least = r->least;
    w->min_gram = r->min_gram;
    w->chosen = r->chosen;
}

/* choose(), of the gram that the last letter, of this value, has completed. */
static inline bool choose_in_run(struct winnow *w, struct run *r, uint64_t value)
{
    const size_t g = r->n - WINNOW_GRAM;
    uint64_t gram = r->rolling;

    if (g > 0) {
        const uint64_t before = w->ring[(g - 1) % WINNOW_RING].value, first = w->ring[g % WINNOW_RING].value;
        gram = r->rolling ^= rotate(before, WINNOW_GRAM);
        gram = first == before && first == value ? UINT64_MAX : gram;
    }
    w->ring[g % WINNOW_RING].gram = gram;
    if (g > r->min_gram + WINNOW_WINDOW - 1 || g == 0) {
        find_least(w, g);
        r->least = w->least;
        r->min_gram = w->min_gram;
    } else if (gram < r->least) {
        r->least = gram;
        r->min_gram = g;
    } else if (g + 1 != WINNOW_WINDOW) {
        return false; /* the window before had the same least */
    }
    if (g + 1 < WINNOW_WINDOW || r->least == UINT64_MAX || r->chosen == r->min_gram) {
        return false;
    }
    r->chosen = r->min_gram;
    return true;
}

/* Reads up to a fingerprint, or to what winnow_next has to look at. */
static bool read_run(struct winnow *w)
{
    const char *text = w->text.ptr;
    const uint64_t *letters = w->key->letters;
    const size_t len = w->text.len;
    struct run r = run_of(w);
    bool is_chosen = false;

    while (!is_chosen && r.at < len && (unsigned char)text[r.at] < 0x80 && r.at - r.end <= WINNOW_GAP_MAX) {
        const char folded = letters_ascii[(unsigned char)text[r.at]];
        if (folded == 0) {
            r.at++;
            continue;
        }
        const uint64_t value = letters[(unsigned char)folded];
        const size_t i = r.n % WINNOW_RING;
        w->ring[i].from = (uint32_t)r.at;
        w->ring[i].to = (uint32_t)r.at + 1;
        w->ring[i].value = value;
        r.rolling = rotate(r.rolling, 1) ^ value;
        r.end = ++r.at;
        r.n++;
        is_chosen = r.n >= WINNOW_GRAM && choose_in_run(w, &r, value);
    }
    keep_run(w, &r);
    return is_chosen;
}

enum winnow_event winnow_next_chosen(struct winnow *w)
{
    enum winnow_event event = WINNOW_LETTER;

    while (event == WINNOW_LETTER) {
        event = !w->is_over && read_run(w) ? WINNOW_CHOSEN : winnow_next(w);
    }
    return event;
}

bool winnow_hash(const struct winnow *w, size_t gram, uint64_t *hash)
{
    uint64_t rolling = w->ring[gram % WINNOW_RING].gram;
    char bytes[sizeof(rolling)];

    memcpy(bytes, &rolling, sizeof(bytes));
    *hash = dataset_hash(w->key, 'g', span_of(bytes, sizeof(bytes)));
    return rolling != UINT64_MAX;
}
