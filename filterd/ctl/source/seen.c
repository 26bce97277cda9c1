#include "ctl/source/seen.h"

#include <sodium.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

_Static_assert(SEEN_SECRET == crypto_shorthash_siphashx24_KEYBYTES, "its key");
_Static_assert(sizeof(struct seen_key) == crypto_shorthash_siphashx24_BYTES, "its hash");

void seen_init(struct seen *s)
{
    *s = (struct seen){0};
    randombytes_buf(s->secret, sizeof(s->secret));
}

void seen_init_like(struct seen *s, const struct seen *other)
{
    *s = (struct seen){0};
    memcpy(s->secret, other->secret, sizeof(s->secret));
}

void seen_deinit(struct seen *s)
{
    free(s->slots);
    free(s->counts);
    sodium_memzero(s->secret, sizeof(s->secret));
    *s = (struct seen){0};
}

static void hash(const struct seen *s, const void *bytes, size_t len, struct seen_key *out)
{
    (void)crypto_shorthash_siphashx24((unsigned char *)out, bytes, len, s->secret);
}

/* Each part's hash goes into the next, so that ("ab", "c") and ("a", "bc") differ. */
struct seen_key seen_key_of(const struct seen *s, const struct span *parts, size_t n)
{
    struct seen_key chain[2] = {0};

    for (size_t i = 0; i < n; i++) {
        hash(s, parts[i].ptr != NULL ? parts[i].ptr : "", parts[i].len, &chain[1]);
        hash(s, chain, sizeof(chain), &chain[0]);
    }
    chain[0].words[0] |= 1; /* never the free slot */
    return chain[0];
}

static size_t find(const struct seen *s, struct seen_key key)
{
    size_t at = key.words[1] & (s->n_slots - 1);

    while (s->slots[at].words[0] != 0 && memcmp(&s->slots[at], &key, sizeof(key)) != 0) {
        at = (at + 1) & (s->n_slots - 1);
    }
    return at;
}

bool seen_has(const struct seen *s, struct seen_key key)
{
    return s->n_slots > 0 && s->slots[find(s, key)].words[0] != 0;
}

static bool grow(struct seen *s, struct error *err)
{
    struct seen larger = *s;

    larger.n_slots = s->n_slots == 0 ? FIRST_SLOTS : s->n_slots * 2;
    larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
    larger.counts = calloc(larger.n_slots, sizeof(*larger.counts));
    if (larger.slots == NULL || larger.counts == NULL) {
        free(larger.slots);
        free(larger.counts);
        return error_set(err, ERROR_NO_MEMORY, "findings: no memory");
    }
    for (size_t i = 0; i < s->n_slots; i++) {
        if (s->slots[i].words[0] != 0) {
            size_t at = find(&larger, s->slots[i]);
            larger.slots[at] = s->slots[i];
            larger.counts[at] = s->counts[i];
        }
    }
    free(s->slots);
    free(s->counts);
    *s = larger;
    return true;
}

bool seen_add(struct seen *s, struct seen_key key, uint32_t *before, struct error *err)
{
    if (s->n * 2 >= s->n_slots && !grow(s, err)) {
        return false;
    }
    size_t at = find(s, key);
    if (s->slots[at].words[0] == 0) {
        s->slots[at] = key;
        s->n++;
    }
    *before = s->counts[at]++;
    return true;
}
