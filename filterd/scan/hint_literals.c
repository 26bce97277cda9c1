/* hint_literals.c - three bytes beside a run of token characters rule out nearly every place before a literal is compared.
 *
 * Invariants:
 *   - `items` are sorted by side, then by key, so all literals of a key are a range. A literal before the token has its last
 *     three bytes as its key, one behind it the first three.
 *   - The bits of a side hold the hash of each key, so a place without its bit has no literal. */
#include "scan/hint_literals.h"

#include <stdlib.h>

#include "text/vector.h"

enum { KEY_LEN = HINT_LITERAL_MIN, HASH_BITS = 16, STEP = 64, WAITING_MAX = 32 };

struct side {
    uint64_t bits[(1 << HASH_BITS) / 64];
    size_t from, to; /* of the items */
};

struct hint_literals {
    struct side before, behind;
    struct hint_literal *items;
    size_t n;
};

static uint32_t key_at(const char *text)
{
    uint16_t low;

    memcpy(&low, text, sizeof(low)); /* in the machine's order: keys are compared with keys */
    return (uint32_t)(unsigned char)text[2] << 16 | low;
}

static uint32_t key_of(const struct hint_literal *item)
{
    return key_at(item->is_behind ? item->text : item->text + item->len - KEY_LEN);
}

static uint32_t hash(uint32_t key)
{
    return key * 0x9e3779b1U >> (32 - HASH_BITS); /* Knuth's multiplicative hashing */
}

static bool has_bit(const struct side *side, uint32_t key)
{
    uint32_t bit = hash(key);

    return (side->bits[bit / 64] >> bit % 64 & 1) != 0;
}

/* --- building ------------------------------------------------------------------ */

static int compare_items(const void *a, const void *b)
{
    const struct hint_literal *x = a, *y = b;
    uint32_t x_key = key_of(x), y_key = key_of(y);

    if (x->is_behind != y->is_behind) {
        return x->is_behind ? 1 : -1;
    }
    if (x_key != y_key) {
        return x_key < y_key ? -1 : 1;
    }
    if (x->len != y->len) {
        return x->len < y->len ? -1 : 1;
    }
    int order = memcmp(x->text, y->text, x->len);
    return order != 0 ? order : (int)x->kind - (int)y->kind;
}

static void index_items(struct hint_literals *h, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && compare_items(&h->items[i], &h->items[h->n - 1]) == 0) {
            continue;
        }
        h->items[h->n++] = h->items[i];
        struct side *side = h->items[i].is_behind ? &h->behind : &h->before;
        uint32_t bit = hash(key_of(&h->items[i]));
        side->bits[bit / 64] |= (uint64_t)1 << bit % 64;
        h->before.to += !h->items[i].is_behind;
    }
    h->behind.from = h->before.to;
    h->behind.to = h->n;
}

struct hint_literals *hint_literals_new(const struct hint_literal *items, size_t n, struct error *err)
{
    struct hint_literals *h = calloc(1, sizeof(*h));

    if (h == NULL || (h->items = calloc(n + 1, sizeof(*items))) == NULL) {
        hint_literals_free(h);
        error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        return NULL;
    }
    if (n > 0) {
        memcpy(h->items, items, n * sizeof(*items));
        qsort(h->items, n, sizeof(*items), compare_items);
    }
    index_items(h, n);
    return h;
}

void hint_literals_free(struct hint_literals *h)
{
    if (h != NULL) {
        free(h->items);
        free(h);
    }
}

/* --- searching ------------------------------------------------------------------- */

struct waiting {
    uint32_t end;
    enum view_hint_kind kind;
};

struct search {
    const struct hint_literals *literals;
    struct span text;
    hint_found_fn *found;
    void *context;
    struct waiting waiting[WAITING_MAX]; /* literals behind a token, by their ends */
    size_t n_waiting;
};

/* Those that end at `end` or before. */
static void tell_waiting(struct search *s, size_t end)
{
    size_t n = 0;

    while (n < s->n_waiting && s->waiting[n].end <= end) {
        s->found(s->context, s->waiting[n].kind, s->waiting[n].end);
        n++;
    }
    s->n_waiting -= n;
    memmove(s->waiting, s->waiting + n, s->n_waiting * sizeof(s->waiting[0]));
}

static void wait_for(struct search *s, size_t end, enum view_hint_kind kind)
{
    if (s->n_waiting == WAITING_MAX) {
        tell_waiting(s, s->waiting[0].end);
    }
    size_t i = s->n_waiting++;
    for (; i > 0 && s->waiting[i - 1].end > end; i--) {
        s->waiting[i] = s->waiting[i - 1];
    }
    s->waiting[i] = (struct waiting){.end = (uint32_t)end, .kind = kind};
}

/* The first item of the side whose key is not less. */
static size_t first_of(const struct hint_literals *h, const struct side *side, uint32_t key)
{
    size_t low = side->from, high = side->to;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (key_of(&h->items[middle]) < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The literals of the side that lie next to `at`, where ten characters of a token begin, or end. */
static void look_up(struct search *s, const struct side *side, uint32_t key, size_t at)
{
    const struct hint_literals *h = s->literals;

    for (size_t i = first_of(h, side, key); i < side->to && key_of(&h->items[i]) == key; i++) {
        const struct hint_literal *item = &h->items[i];
        bool has_room = item->is_behind ? s->text.len - at >= item->len : at >= item->len;
        const char *from = s->text.ptr + at - (item->is_behind ? 0 : item->len);
        if (has_room && memcmp(from, item->text, item->len) == 0) {
            wait_for(s, item->is_behind ? at + item->len : at + HINT_TOKEN_MIN, item->kind);
        }
    }
}

/* Letters, digits, _ and -. */
static uint64_t token_bits(const char bytes[STEP])
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < STEP; i += VECTOR_SIZE) {
        vector_bytes v = vector_load(bytes + i);
        vector_bytes token = vector_in_range(v | vector_of(0x20), 'a', 'z') | vector_in_range(v, '0', '9') |
                             vector_is(v, '_') | vector_is(v, '-');
        bits |= (uint64_t)vector_top_bits(token) << i;
    }
    return bits;
}

/* Bit i: so many bits up to bit i are set; of the step before, too. */
struct rows {
    uint64_t of_1, of_2, of_4, of_8;
};

static uint64_t rows_of_10(uint64_t bits, struct rows *r)
{
    uint64_t of_2 = bits & (bits << 1 | r->of_1 >> 63);
    uint64_t of_4 = of_2 & (of_2 << 2 | r->of_2 >> 62);
    uint64_t of_8 = of_4 & (of_4 << 4 | r->of_4 >> 60);
    uint64_t of_10 = of_2 & (of_8 << 2 | r->of_8 >> 62);

    *r = (struct rows){.of_1 = bits, .of_2 = of_2, .of_4 = of_4, .of_8 = of_8};
    return of_10;
}

/* The characters [begin, end) are of a token. */
static inline void look_beside(struct search *s, size_t begin, size_t end)
{
    const struct hint_literals *h = s->literals;
    uint32_t before = begin >= KEY_LEN ? key_at(s->text.ptr + begin - KEY_LEN) : 0;
    uint32_t behind = s->text.len - end >= KEY_LEN ? key_at(s->text.ptr + end) : 0;
    bool may_be_before = has_bit(&h->before, before), may_be_behind = has_bit(&h->behind, behind);

    if (may_be_before || may_be_behind) {
        tell_waiting(s, end - 1);
    }
    if (may_be_before) {
        look_up(s, &h->before, before, begin);
    }
    if (may_be_behind) {
        look_up(s, &h->behind, behind, end);
    }
}

void hint_literals_scan(const struct hint_literals *h, struct span text, hint_found_fn *found, void *context)
{
    struct search s = {.literals = h, .text = text, .found = found, .context = context};
    struct rows rows = {0};
    char rest[STEP] = {0};

    for (size_t at = 0; at < text.len && h->n > 0; at += STEP) {
        const char *bytes = text.ptr + at;
        if (text.len - at < STEP) {
            memcpy(rest, bytes, text.len - at);
            bytes = rest;
        }
        for (uint64_t ends = rows_of_10(token_bits(bytes), &rows); ends != 0; ends &= ends - 1) {
            size_t end = at + (size_t)__builtin_ctzll(ends) + 1;
            look_beside(&s, end - HINT_TOKEN_MIN, end);
        }
    }
    tell_waiting(&s, text.len);
}
