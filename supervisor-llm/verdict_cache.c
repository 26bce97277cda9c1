#include "supervisor-llm/verdict_cache.h"

#include <sodium.h>
#include <stdlib.h>

enum { NONE = -1 };

struct entry {
    struct verdict_key key;
    struct supervision verdict;
    uint64_t until_ns;
    int next;           /* in its bucket, or among the free ones */
    int newer, older;   /* in order of use */
};

struct verdict_cache {
    struct entry *entries;
    int *buckets;
    size_t n_entries, n_buckets, used;
    uint64_t ttl_ns;
    int newest, oldest;
};

static void add_part(crypto_hash_sha256_state *state, struct span part)
{
    uint64_t len = part.len;

    (void)crypto_hash_sha256_update(state, (const uint8_t *)&len, sizeof(len));
    (void)crypto_hash_sha256_update(state, (const uint8_t *)part.ptr, part.len);
}

struct verdict_key verdict_key_of(const struct verdict_subject *s)
{
    crypto_hash_sha256_state state;
    struct verdict_key key;

    (void)crypto_hash_sha256_init(&state);
    add_part(&state, s->text);
    add_part(&state, s->policy);
    add_part(&state, s->prompt);
    add_part(&state, s->model);
    (void)crypto_hash_sha256_update(&state, (const uint8_t *)&s->categories, sizeof(s->categories));
    (void)crypto_hash_sha256_final(&state, key.bytes);
    return key;
}

struct verdict_cache *verdict_cache_new(size_t entries, uint64_t ttl_ns, struct error *err)
{
    struct verdict_cache *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "supervisor: no memory");
        return NULL;
    }
    *c = (struct verdict_cache){.n_entries = entries, .n_buckets = entries + 1, .ttl_ns = ttl_ns,
                                .newest = NONE, .oldest = NONE};
    c->entries = calloc(entries + 1, sizeof(*c->entries));
    c->buckets = calloc(c->n_buckets, sizeof(*c->buckets));
    if (c->entries == NULL || c->buckets == NULL) {
        verdict_cache_free(c);
        error_set(err, ERROR_NO_MEMORY, "supervisor: no memory");
        return NULL;
    }
    for (size_t i = 0; i < c->n_buckets; i++) {
        c->buckets[i] = NONE;
    }
    return c;
}

void verdict_cache_free(struct verdict_cache *c)
{
    if (c != NULL) {
        free(c->entries);
        free(c->buckets);
        free(c);
    }
}

/* Keys are digests: any part of one is as good as random. */
static int *bucket_of(struct verdict_cache *c, const struct verdict_key *key)
{
    uint64_t number;

    memcpy(&number, key->bytes, sizeof(number));
    return &c->buckets[number % c->n_buckets];
}

static int find(struct verdict_cache *c, const struct verdict_key *key)
{
    int i = *bucket_of(c, key);

    while (i != NONE && memcmp(c->entries[i].key.bytes, key->bytes, VERDICT_KEY) != 0) {
        i = c->entries[i].next;
    }
    return i;
}

static void unlink_use(struct verdict_cache *c, int i)
{
    const struct entry *e = &c->entries[i];

    *(e->newer == NONE ? &c->newest : &c->entries[e->newer].older) = e->older;
    *(e->older == NONE ? &c->oldest : &c->entries[e->older].newer) = e->newer;
}

static void make_newest(struct verdict_cache *c, int i)
{
    c->entries[i].newer = NONE;
    c->entries[i].older = c->newest;
    *(c->newest == NONE ? &c->oldest : &c->entries[c->newest].newer) = i;
    c->newest = i;
}

static void unlink_bucket(struct verdict_cache *c, int i)
{
    int *link = bucket_of(c, &c->entries[i].key);

    while (*link != i) {
        link = &c->entries[*link].next;
    }
    *link = c->entries[i].next;
}

const struct supervision *verdict_cache_get(struct verdict_cache *c, const struct verdict_key *key, uint64_t now_ns)
{
    int i = find(c, key);

    if (i == NONE || now_ns >= c->entries[i].until_ns) {
        return NULL;
    }
    unlink_use(c, i);
    make_newest(c, i);
    return &c->entries[i].verdict;
}

/* An entry in no list: a new one, or the oldest. */
static int take_entry(struct verdict_cache *c)
{
    if (c->used < c->n_entries) {
        return (int)c->used++;
    }
    int i = c->oldest;
    unlink_use(c, i);
    unlink_bucket(c, i);
    return i;
}

void verdict_cache_put(struct verdict_cache *c, const struct verdict_key *key, const struct supervision *verdict,
                       uint64_t now_ns)
{
    if (c->n_entries == 0 || verdict->outcome != SUPERVISION_ANSWERED) {
        return;
    }
    int i = find(c, key);
    if (i != NONE) {
        unlink_use(c, i);
    } else {
        i = take_entry(c);
        int *bucket = bucket_of(c, key);
        c->entries[i].key = *key;
        c->entries[i].next = *bucket;
        *bucket = i;
    }
    c->entries[i].verdict = *verdict;
    c->entries[i].until_ns = now_ns + c->ttl_ns;
    make_newest(c, i);
}

size_t verdict_cache_count(const struct verdict_cache *c)
{
    return c->used;
}
