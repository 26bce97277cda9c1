#include "prompt/history.h"

#include <nettle/umac.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>

#include "mask/masking.h"
#include "prompt/nh.h"

/* Sets of WAYS entries; the new one displaces the oldest of its set. */
enum { WAYS = 4, AHEAD = 8 };

/* No place is so long. */
#define PREFIX ((uint64_t)1 << 63)
#define BEHIND ((uint64_t)1 << 62)

_Static_assert((int)HISTORY_KEY == (int)RECALL_KEY, "a unit has one key");
_Static_assert((int)HISTORY_KEY == (int)UMAC128_DIGEST_SIZE, "a key is a value of UMAC-128");

struct set {
    struct history_key keys[WAYS]; /* all zero: none */
    uint32_t text_bytes[WAYS];     /* of messages that need not be read again (history_texts); HISTORY_VALID; else 0 */
    unsigned next;
};

struct history {
    uint8_t key[crypto_generichash_KEYBYTES];
    struct umac128_ctx hash; /* keyed, of no text yet: copied for use */
    struct nh_key nh;        /* of the texts, whose sums it hashes */
    pthread_mutex_t lock;    /* guards the sets */
    struct recall *found;
    size_t mask;
    struct set sets[];
};

struct history *history_new(size_t entries, struct error *err)
{
    size_t n = 1;

    while (n * WAYS < entries) {
        n *= 2;
    }
    struct history *h = calloc(1, sizeof(*h) + n * sizeof(h->sets[0]));
    if (h == NULL) {
        error_set(err, ERROR_NO_MEMORY, "history: no memory");
        return NULL;
    }
    h->found = recall_new(HISTORY_PLACES, HISTORY_FOUND, err);
    if (h->found == NULL) {
        free(h);
        return NULL;
    }
    uint8_t hash_key[UMAC_KEY_SIZE];
    randombytes_buf(h->key, sizeof(h->key));
    randombytes_buf(hash_key, sizeof(hash_key));
    umac128_set_key(&h->hash, hash_key);
    sodium_memzero(hash_key, sizeof(hash_key));
    randombytes_buf(&h->nh, sizeof(h->nh));
    (void)pthread_mutex_init(&h->lock, NULL);
    h->mask = n - 1;
    return h;
}

void history_free(struct history *h)
{
    if (h != NULL) {
        (void)pthread_mutex_destroy(&h->lock);
        recall_free(h->found);
        sodium_memzero(h->key, sizeof(h->key));
        sodium_memzero(&h->hash, sizeof(h->hash));
        sodium_memzero(&h->nh, sizeof(h->nh));
        free(h);
    }
}

static void digest_parts(const struct history *h, const struct span *parts, size_t n, struct history_scope *out)
{
    crypto_generichash_state state;

    (void)crypto_generichash_init(&state, h->key, sizeof(h->key), sizeof(out->digest));
    for (size_t i = 0; i < n; i++) {
        uint64_t len = parts[i].len;
        (void)crypto_generichash_update(&state, (const uint8_t *)&len, sizeof(len));
        (void)crypto_generichash_update(&state, (const uint8_t *)parts[i].ptr, parts[i].len);
    }
    (void)crypto_generichash_final(&state, out->digest, sizeof(out->digest));
}

void history_scope_of(const struct history *h, const struct exchange *x, const char *route, struct history_scope *out)
{
    const struct span parts[] = {x->policy->digest, x->policy->name, x->who.tenant, x->who.agent, span_str(route)};

    digest_parts(h, parts, COUNT(parts), out);
}

void history_names_of(const struct history *h, const struct exchange *x, const char *route, const struct masking *masking,
                      struct history_scope *out)
{
    uint64_t number = masking == NULL ? 0 : masking_number(masking);
    const struct span parts[] = {
        x->policy->digest,     x->policy->name, span_str(route), x->who.tenant, x->who.agent, identity_tenant(&x->who),
        identity_app(&x->who), x->who.route,    identity_agent(&x->who), span_of((const char *)&number, sizeof(number))};

    digest_parts(h, parts, COUNT(parts), out);
}

static void hash_number(struct umac128_ctx *hash, uint64_t number)
{
    umac128_update(hash, sizeof(number), (const uint8_t *)&number);
}

static void hash_sums(struct umac128_ctx *hash, const uint64_t *sums, size_t n)
{
    umac128_update(hash, n * sizeof(*sums), (const uint8_t *)sums);
}

/* UMAC-128 with one secret key and one nonce for all texts: a universal hash, whose values nobody sees (decisions 213, 254). Of the parts
 * the first has a fixed length and the second says its own. PREFIX and BEHIND tell keys of prefixes and of messages behind another from others. */
static void begin(struct umac128_ctx *hash, const struct history_scope *scope, struct span place, uint64_t kind)
{
    static const uint8_t nonce[UMAC_MIN_NONCE_SIZE];

    umac128_set_nonce(hash, sizeof(nonce), nonce); /* each value moves it on */
    umac128_update(hash, sizeof(scope->digest), scope->digest);
    hash_number(hash, place.len | kind);
    umac128_update(hash, place.len, (const uint8_t *)place.ptr);
}

/* In place of a text its sums, a 32nd of it, and its length, in which the last part ends. `sums` are history_sums_of; NULL: they are made here. */
static void hash_text(struct umac128_ctx *hash, const struct nh_key *nh, struct span text, const uint64_t *sums, struct history_key *out)
{
    uint64_t of_block[NH_SUMS];

    if (sums != NULL) {
        hash_sums(hash, sums + 1, nh_n_sums(text));
    }
    for (size_t at = 0; sums == NULL && at < text.len; at += NH_BLOCK) {
        nh_sums(nh, span_slice(text, at, text.len - at < NH_BLOCK ? text.len : at + NH_BLOCK), of_block);
        hash_sums(hash, of_block, NH_SUMS);
    }
    hash_number(hash, text.len);
    umac128_digest(hash, sizeof(out->bytes), out->bytes);
}

void history_keys_of(const struct history *h, const struct history_scope *scope, const struct prompt_unit *units, size_t n,
                     const uint64_t *sums, struct history_key *out)
{
    struct umac128_ctx hash = h->hash;

    for (size_t i = 0; i < n; i++) {
        begin(&hash, scope, span_str(units[i].place), 0);
        hash_text(&hash, &h->nh, units[i].json, sums, &out[i]);
        sums += sums == NULL ? 0 : history_n_sums(units[i].json);
    }
    sodium_memzero(&hash, sizeof(hash));
}

void history_sums_of(const struct history *h, struct span text, uint64_t *out)
{
    out[0] = text.len;
    nh_sums(&h->nh, text, out + 1);
}

/* The length of each text is before its sums, so that no two prefixes are the same bytes. */
void history_keys_of_prefixes(const struct history *h, const struct history_scope *scope, const struct prompt_unit *units, size_t n,
                              const uint64_t *sums, struct history_key *out, size_t n_out)
{
    struct umac128_ctx hash = h->hash, ended = h->hash;
    size_t first = n < n_out ? 0 : n - n_out, n_sums = 0;

    begin(&hash, scope, span_str(units[0].place), PREFIX);
    for (size_t i = 0; i < first; i++) {
        n_sums += history_n_sums(units[i].json);
    }
    hash_sums(&hash, sums, n_sums); /* all at once */
    for (size_t i = first; i < n; i++) {
        sums += n_sums;
        n_sums = history_n_sums(units[i].json);
        hash_sums(&hash, sums, n_sums);
        ended = hash;
        umac128_digest(&ended, sizeof(out->bytes), out[i + n_out - n].bytes);
    }
    sodium_memzero(&hash, sizeof(hash));
    sodium_memzero(&ended, sizeof(ended));
}

struct history_key history_key_behind(const struct history *h, const struct history_key *before, const struct history_key *message)
{
    static const struct history_scope none;
    struct umac128_ctx hash = h->hash;
    struct history_key key;

    begin(&hash, &none, span_of("", 0), BEHIND);
    umac128_update(&hash, sizeof(before->bytes), before->bytes);
    umac128_update(&hash, sizeof(message->bytes), message->bytes);
    umac128_digest(&hash, sizeof(key.bytes), key.bytes);
    sodium_memzero(&hash, sizeof(hash));
    return key;
}

void history_key_of_output(const struct history *h, struct span name, struct span text, struct history_key *out)
{
    static const struct history_scope none;
    struct umac128_ctx hash = h->hash;

    begin(&hash, &none, name, 0);
    hash_text(&hash, &h->nh, text, NULL, out);
    sodium_memzero(&hash, sizeof(hash));
}

/* Both parts are secret and as good as random, so a text need not be hashed again for other names. */
struct history_key history_key_for(const struct history_key *key, const struct history_scope *names)
{
    struct history_key both;

    for (size_t i = 0; i < sizeof(both.bytes); i++) {
        both.bytes[i] = key->bytes[i] ^ names->digest[i];
    }
    return both;
}

static struct set *set_of(struct history *h, const struct history_key *key)
{
    uint64_t hash;

    memcpy(&hash, key->bytes, sizeof(hash));
    return &h->sets[hash & h->mask];
}

/* A set has two or three lines of the cache, and the table is seldom in it. */
static void prefetch(struct history *h, const struct history_key *keys, size_t n, size_t i)
{
    if (i < n) {
        const struct set *s = set_of(h, &keys[i]);
        __builtin_prefetch(s);
        __builtin_prefetch(&s->next);
    }
}

/* Its place in the set; WAYS: it is not there. */
static size_t way_of(const struct set *s, const struct history_key *key)
{
    size_t i = 0;

    while (i < WAYS && memcmp(&s->keys[i], key, sizeof(*key)) != 0) {
        i++;
    }
    return i;
}

void history_find(struct history *h, const struct history_key *keys, size_t n, bool *is_known)
{
    (void)pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < n; i++) {
        prefetch(h, keys, n, i + AHEAD);
        const struct set *s = set_of(h, &keys[i]);
        size_t way = way_of(s, &keys[i]);
        is_known[i] = way < WAYS && s->text_bytes[way] != HISTORY_VALID;
    }
    (void)pthread_mutex_unlock(&h->lock);
}

void history_find_texts(struct history *h, const struct history_key *keys, size_t n, uint32_t *text_bytes)
{
    (void)pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < n; i++) {
        prefetch(h, keys, n, i + AHEAD);
        const struct set *s = set_of(h, &keys[i]);
        size_t way = way_of(s, &keys[i]);
        text_bytes[i] = way < WAYS ? s->text_bytes[way] : 0;
    }
    (void)pthread_mutex_unlock(&h->lock);
}

static void add(struct history *h, const struct history_key *key, uint32_t text_bytes)
{
    (void)pthread_mutex_lock(&h->lock);
    struct set *s = set_of(h, key);
    size_t way = way_of(s, key);
    if (way == WAYS) {
        way = s->next++ % WAYS;
        s->keys[way] = *key;
        s->text_bytes[way] = text_bytes;
    } else if (s->text_bytes[way] == HISTORY_VALID || (text_bytes != 0 && text_bytes != HISTORY_VALID)) {
        s->text_bytes[way] = text_bytes; /* without a finding it says more */
    }
    (void)pthread_mutex_unlock(&h->lock);
}

void history_add(struct history *h, const struct history_key *key)
{
    add(h, key, 0);
}

void history_add_texts(struct history *h, const struct history_key *key, uint32_t texts)
{
    add(h, key, texts);
}

void history_add_valid(struct history *h, const struct history_key *key)
{
    add(h, key, HISTORY_VALID);
}

/* --- findings ----------------------------------------------------------------- */

bool history_recall(struct history *h, const struct history_key *key, const struct history_scope *names, struct arena *a,
                    bool *is_known, struct recalled **items, size_t *n, struct error *err)
{
    const struct history_key both = history_key_for(key, names);

    return recall_find(h->found, both.bytes, a, is_known, items, n, err);
}

void history_keep(struct history *h, const struct history_key *key, const struct history_scope *names, const struct recalled *items,
                  size_t n)
{
    const struct history_key both = history_key_for(key, names);

    recall_add(h->found, both.bytes, items, n);
}
