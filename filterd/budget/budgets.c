#include "budget/budgets.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "budget/budgets_parts.h"

enum {
    BYTES_PER_BUCKET = 256,
    LOOKS = 4096, /* buckets of a shard that are searched in a second for accounts to drop, when there is no room */
};

_Static_assert(BUDGET_KEY == crypto_shorthash_siphashx24_BYTES, "a keyed hash of 128 bits names an account");

static bool shard_init(struct shard *s, size_t max)
{
    s->n_buckets = 16;
    while ((size_t)s->n_buckets * BYTES_PER_BUCKET < max) {
        s->n_buckets *= 2;
    }
    s->max = max;
    s->bytes = s->n_buckets * sizeof(struct account *);
    s->buckets = calloc(s->n_buckets, sizeof(struct account *));
    (void)pthread_mutex_init(&s->lock, NULL);
    return s->buckets != NULL;
}

struct budgets *budgets_new(size_t memory_max, const uint8_t secret[BUDGET_SECRET], struct error *err)
{
    static const char purpose[] = "disclosure budgets";
    struct budgets *b = aligned_alloc(64, sizeof(*b));
    bool is_made = b != NULL;

    if (is_made) {
        memset(b, 0, sizeof(*b));
        (void)crypto_generichash(b->key, sizeof(b->key), (const uint8_t *)purpose, sizeof(purpose), secret, BUDGET_SECRET);
    }
    for (unsigned i = 0; i < SHARDS && b != NULL; i++) {
        is_made = shard_init(&b->shards[i], memory_max / SHARDS) && is_made;
    }
    if (!is_made) {
        budgets_free(b);
        error_set(err, ERROR_NO_MEMORY, "budgets: no memory");
        return NULL;
    }
    return b;
}

/* Each part is led by its length: no two lists of parts are hashed alike. */
void budgets_key(const struct budgets *b, const struct span *parts, size_t n, struct budget_account_key *out)
{
    crypto_generichash_state state;

    (void)crypto_generichash_init(&state, b->key, sizeof(b->key), sizeof(out->bytes));
    for (size_t i = 0; i < n; i++) {
        uint64_t len = parts[i].len;
        (void)crypto_generichash_update(&state, (const uint8_t *)&len, sizeof(len));
        (void)crypto_generichash_update(&state, (const uint8_t *)parts[i].ptr, parts[i].len);
    }
    (void)crypto_generichash_final(&state, out->bytes, sizeof(out->bytes));
}

uint64_t budgets_hash(const struct budgets *b, struct span value)
{
    uint8_t hash[crypto_shorthash_siphashx24_BYTES];
    uint64_t out;

    (void)crypto_shorthash_siphashx24(hash, (const uint8_t *)(value.len > 0 ? value.ptr : ""), value.len, b->key);
    memcpy(&out, hash, sizeof(out));
    return out;
}

/* --- the table ----------------------------------------------------------------------- */

static struct shard *lock_shard(struct budgets *b, const struct budget_account_key *key)
{
    struct shard *s = &b->shards[key->bytes[0] % SHARDS];

    (void)pthread_mutex_lock(&s->lock);
    return s;
}

static void unlock_shard(struct shard *s)
{
    (void)pthread_mutex_unlock(&s->lock);
}

static struct account **bucket_of(struct shard *s, const struct budget_account_key *key)
{
    uint32_t at;

    memcpy(&at, key->bytes + 4, sizeof(at));
    return &s->buckets[at & (s->n_buckets - 1)];
}

static struct account *find(struct shard *s, const struct budget_account_key *key)
{
    struct account *a = *bucket_of(s, key);

    while (a != NULL && memcmp(&a->key, key, sizeof(*key)) != 0) {
        a = a->next;
    }
    return a;
}

static void resize(struct shard *s, const struct account *a, size_t before)
{
    s->bytes += account_size(a) - before;
    s->held[a->caller] += account_size(a) - before;
}

static void expire(struct shard *s, struct account *a, uint32_t now_s)
{
    size_t before = account_size(a);

    account_expire(a, now_s);
    resize(s, a, before);
}

static void unlink_account(struct shard *s, struct account **at)
{
    struct account *a = *at;

    *at = a->next;
    s->n--;
    s->bytes -= account_size(a);
    s->held[a->caller] -= account_size(a);
    account_free(a);
}

void budgets_clear(struct budgets *b)
{
    for (unsigned i = 0; i < SHARDS; i++) {
        struct shard *s = &b->shards[i];
        (void)pthread_mutex_lock(&s->lock);
        s->changed = NULL;
        for (uint32_t k = 0; s->buckets != NULL && k < s->n_buckets; k++) {
            while (s->buckets[k] != NULL) {
                unlink_account(s, &s->buckets[k]);
            }
        }
        unlock_shard(s);
    }
}

void budgets_free(struct budgets *b)
{
    if (b == NULL) {
        return;
    }
    budgets_clear(b);
    for (unsigned i = 0; i < SHARDS; i++) {
        free(b->shards[i].buckets);
        (void)pthread_mutex_destroy(&b->shards[i].lock);
    }
    sodium_memzero(b->key, sizeof(b->key));
    free(b);
}

/* The store still has it: it is dropped once the store knows. */
static void sweep_bucket(struct budgets *b, struct shard *s, struct account **bucket, uint32_t now_s)
{
    for (struct account **at = bucket; *at != NULL;) {
        struct account *a = *at;
        expire(s, a, now_s);
        bool is_over = account_is_empty(a);
        if (is_over && b->wake == NULL) {
            unlink_account(s, at);
            continue;
        }
        if (is_over && !a->is_gone) {
            a->is_gone = true;
            budgets_note_change(b, s, a);
        }
        at = &a->next;
    }
}

static bool has_room(struct budgets *b, struct shard *s, uint8_t caller, size_t need, uint32_t now_s)
{
    s->looks = s->looked_s == now_s ? s->looks : 0;
    s->looked_s = now_s;
    for (; s->looks < LOOKS && s->bytes + need > s->max; s->looks++) {
        s->hand = (s->hand + 1) & (s->n_buckets - 1);
        sweep_bucket(b, s, &s->buckets[s->hand], now_s);
    }
    return s->bytes + need <= s->max && s->held[caller] + need <= s->max / 4 * 3;
}

static struct account *add_account(struct shard *s, const struct budget_account_key *key, const struct budget_terms *terms)
{
    struct account *a = calloc(1, sizeof(*a));

    if (a == NULL) {
        return NULL;
    }
    struct account **bucket = bucket_of(s, key);
    a->key = *key;
    a->window_s = terms->window_s;
    a->caller = (uint8_t)(terms->caller % BUDGET_CALLERS);
    a->values = a->first;
    a->cap = ACCOUNT_FIRST;
    a->next = *bucket;
    *bucket = a;
    s->n++;
    resize(s, a, 0);
    return a;
}

/* --- values -------------------------------------------------------------------------- */

/* True when the account has the value, which is then held. */
static bool hold_known(struct account *a, uint64_t hash, uint32_t now_s, struct budget_hold *hold)
{
    struct account_value *v = account_find(a, hash);

    if (v == NULL && (a->sketch == NULL || !account_has_seen(a, hash, now_s))) {
        return false;
    }
    if (v != NULL) {
        v->holds++;
    }
    a->holds++;
    *hold = (struct budget_hold){.is_held = true};
    return true;
}

static bool hold_new(struct shard *s, struct account *a, uint64_t hash)
{
    size_t before = account_size(a);
    bool is_full;
    struct account_value *v = account_add(a, hash, &is_full);

    resize(s, a, before);
    if (is_full) {
        return false;
    }
    if (v != NULL) {
        v->holds = 1;
    } else {
        a->reserved++;
    }
    a->holds++;
    a->is_gone = false;
    return true;
}

static enum budget_verdict reserve(struct budgets *b, struct shard *s, const struct budget_account_key *key,
                                   const struct budget_terms *terms, uint64_t hash, uint32_t now_s, struct budget_hold *hold)
{
    struct account *a = find(s, key);

    if (a != NULL) {
        expire(s, a, now_s);
        if (hold_known(a, hash, now_s, hold)) {
            return BUDGET_WITHIN;
        }
    }
    bool is_within = (a == NULL ? 0 : account_count(a, now_s)) + 1 <= (double)terms->values;
    if (!is_within && !terms->is_observed) {
        return BUDGET_OVER;
    }
    /* Sweeping may drop the account. */
    size_t need = a != NULL ? account_growth(a) : sizeof(*a) + 32;
    uint8_t caller = (uint8_t)(a != NULL ? a->caller : terms->caller % BUDGET_CALLERS);
    bool is_counted = !atomic_load(&b->is_unstored) && (need == 0 || has_room(b, s, caller, need, now_s));
    a = is_counted ? find(s, key) : NULL;
    a = is_counted && a == NULL ? add_account(s, key, terms) : a;
    if (a == NULL || !hold_new(s, a, hash)) {
        (void)atomic_fetch_add(&b->refused, 1);
        return BUDGET_OVER;
    }
    *hold = (struct budget_hold){.is_held = true, .is_new = true};
    return is_within ? BUDGET_WITHIN : BUDGET_OVER;
}

enum budget_verdict budgets_reserve(struct budgets *b, const struct budget_account_key *key, const struct budget_terms *terms,
                                    uint64_t hash, uint32_t now_s, struct budget_hold *hold)
{
    struct shard *s = lock_shard(b, key);

    *hold = (struct budget_hold){0};
    enum budget_verdict verdict = reserve(b, s, key, terms, hash, now_s, hold);
    unlock_shard(s);
    return verdict;
}

static void let_go(struct account *a, struct account_value *v, const struct budget_hold *hold)
{
    a->holds -= a->holds > 0;
    if (v != NULL) {
        v->holds -= v->holds > 0;
    } else if (hold->is_new) {
        a->reserved -= a->reserved > 0;
    }
}

void budgets_commit(struct budgets *b, const struct budget_account_key *key, uint64_t hash, uint32_t now_s,
                    const struct budget_hold *hold)
{
    struct shard *s = lock_shard(b, key);
    struct account *a = hold->is_held ? find(s, key) : NULL;

    if (a != NULL) {
        struct account_value *v = account_find(a, hash);
        if (v != NULL) {
            v->at_s = now_s > v->at_s ? now_s : v->at_s;
        } else if (a->sketch != NULL) {
            account_see(a, hash, now_s);
        }
        let_go(a, v, hold);
        a->last_s = now_s > a->last_s ? now_s : a->last_s;
        budgets_note_change(b, s, a);
    }
    unlock_shard(s);
}

void budgets_cancel(struct budgets *b, const struct budget_account_key *key, uint64_t hash, const struct budget_hold *hold)
{
    struct shard *s = lock_shard(b, key);
    struct account *a = hold->is_held ? find(s, key) : NULL;

    if (a != NULL) {
        struct account_value *v = account_find(a, hash);
        let_go(a, v, hold);
        if (v != NULL && v->holds == 0 && v->at_s == 0) {
            *v = a->values[--a->n];
        }
    }
    unlock_shard(s);
}

void budgets_look(struct budgets *b, const struct budget_account_key *key, const struct budget_terms *terms, uint32_t now_s,
                  struct budget_level *out)
{
    struct shard *s = lock_shard(b, key);
    struct account *a = find(s, key);

    *out = (struct budget_level){0};
    if (a != NULL) {
        expire(s, a, now_s);
        out->values = (uint64_t)(account_count(a, now_s) + 0.5);
        out->is_estimated = a->sketch != NULL;
        out->wait_s = account_wait(a, terms->values, now_s);
    }
    unlock_shard(s);
}

/* --- all of them --------------------------------------------------------------------- */

void budgets_sweep(struct budgets *b, uint32_t now_s)
{
    for (unsigned i = 0; i < SHARDS; i++) {
        struct shard *s = &b->shards[i];
        (void)pthread_mutex_lock(&s->lock);
        for (uint32_t k = 0; k < s->n_buckets; k++) {
            sweep_bucket(b, s, &s->buckets[k], now_s);
        }
        unlock_shard(s);
    }
}

void budgets_count(struct budgets *b, struct budget_counts *out)
{
    *out = (struct budget_counts){.refused = atomic_load(&b->refused)};
    for (unsigned i = 0; i < SHARDS; i++) {
        struct shard *s = &b->shards[i];
        (void)pthread_mutex_lock(&s->lock);
        out->accounts += s->n;
        out->bytes += s->bytes;
        unlock_shard(s);
    }
}

/* --- the store ----------------------------------------------------------------------- */

static struct account **place_of(struct shard *s, const struct account *wanted)
{
    struct account **at = bucket_of(s, &wanted->key);

    while (*at != wanted) {
        at = &(*at)->next;
    }
    return at;
}

bool budgets_take_changed(struct budgets *b, struct budget_image *out)
{
    for (unsigned i = 0; i < SHARDS; i++) {
        struct shard *s = &b->shards[i];
        (void)pthread_mutex_lock(&s->lock);
        struct account *a = s->changed;
        if (a != NULL) {
            s->changed = a->next_changed;
            a->is_changed = false;
            account_write(a, out);
            if (a->is_gone && account_is_empty(a)) {
                unlink_account(s, place_of(s, a));
            }
        }
        unlock_shard(s);
        if (a != NULL) {
            return true;
        }
    }
    return false;
}

void budgets_give_back(struct budgets *b, const struct budget_account_key *key)
{
    struct shard *s = lock_shard(b, key);
    struct account *a = find(s, key);

    if (a != NULL) {
        budgets_note_change(b, s, a);
    }
    unlock_shard(s);
}

static bool restore(struct budgets *b, struct shard *s, const struct budget_image *image, uint32_t now_s, struct error *err)
{
    const struct budget_terms terms = {.window_s = image->window_s};
    struct account *a = find(s, &image->key) != NULL ? NULL : add_account(s, &image->key, &terms);
    bool is_full = false;

    if (a == NULL) {
        return error_set(err, ERROR_INVALID, "budgets: one image of each account expected");
    }
    size_t before = account_size(a);
    bool is_image = account_read(a, image, &is_full);
    resize(s, a, before);
    if (!is_image || is_full) {
        return error_set(err, is_full ? ERROR_NO_MEMORY : ERROR_INVALID, "budgets: an image of an account expected");
    }
    account_be_past(a, now_s);
    expire(s, a, now_s);
    if (account_is_empty(a)) {
        a->is_gone = true;
        budgets_note_change(b, s, a);
    }
    return s->bytes <= s->max || error_set(err, ERROR_LIMIT, "budgets: more memory expected for the accounts that are stored");
}

bool budgets_restore(struct budgets *b, const struct budget_image *image, uint32_t now_s, struct error *err)
{
    struct shard *s = lock_shard(b, &image->key);
    bool is_good = restore(b, s, image, now_s, err);

    unlock_shard(s);
    return is_good;
}

void budgets_set_stored(struct budgets *b, bool is_stored)
{
    atomic_store(&b->is_unstored, !is_stored);
}
