#include "mask/conversations.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/locked_pages.h"
#include "base/thread.h"

enum { BUCKETS_MAX = 1 << 16 };

/* By what a conversation is found. */
enum lookup { BY_KEY, BY_HANDLE, LOOKUPS };

struct conversation {
    struct conversation_owner owner;
    uint8_t key[MASKING_KEY]; /* random for one without id, so that no id finds it */
    uint8_t handle[CONVERSATION_HANDLE];
    struct masking *masking;
    uint64_t used_ns;
    struct conversation *chain[LOOKUPS];
    struct conversation *older, *newer;
};

struct conversations {
    pthread_mutex_t lock; /* for all below */
    struct conversations_options options;
    uint8_t *key; /* in a locked page */
    struct conversation **buckets[LOOKUPS];
    size_t n_buckets; /* a power of two */
    struct conversation *oldest, *newest;
    struct conversations_counts counts;
    struct masking_budget budget;
    pthread_cond_t change;
    bool is_stopping, has_thread;
    pthread_t thread;
};

/* --- the table ------------------------------------------------------------------- */

static const uint8_t *lookup_bytes(const struct conversation *c, enum lookup by)
{
    return by == BY_KEY ? c->key : c->handle;
}

static size_t lookup_size(enum lookup by)
{
    return by == BY_KEY ? MASKING_KEY : CONVERSATION_HANDLE;
}

/* Both are random to a caller: any of their bytes are a hash. */
static struct conversation **bucket_of(struct conversations *c, enum lookup by, const uint8_t *bytes)
{
    uint64_t hash;

    memcpy(&hash, bytes, sizeof(hash));
    return &c->buckets[by][hash & (c->n_buckets - 1)];
}

static struct conversation *find(struct conversations *c, enum lookup by, const uint8_t *bytes)
{
    struct conversation *at = *bucket_of(c, by, bytes);

    while (at != NULL && gnutls_memcmp(lookup_bytes(at, by), bytes, lookup_size(by)) != 0) {
        at = at->chain[by];
    }
    return at;
}

static void unlink_age(struct conversations *c, struct conversation *at)
{
    *(at->older != NULL ? &at->older->newer : &c->oldest) = at->newer;
    *(at->newer != NULL ? &at->newer->older : &c->newest) = at->older;
}

static void put_newest(struct conversations *c, struct conversation *at, uint64_t now_ns)
{
    at->used_ns = now_ns;
    at->older = c->newest;
    at->newer = NULL;
    *(c->newest != NULL ? &c->newest->newer : &c->oldest) = at;
    c->newest = at;
}

static void drop(struct conversations *c, struct conversation *at)
{
    for (enum lookup by = 0; by < LOOKUPS; by++) {
        struct conversation **link = bucket_of(c, by, lookup_bytes(at, by));
        while (*link != at) {
            link = &(*link)->chain[by];
        }
        *link = at->chain[by];
    }
    unlink_age(c, at);
    c->counts.open--;
    masking_unref(at->masking);
    explicit_bzero(at, sizeof(*at));
    free(at);
}

static void expire(struct conversations *c, uint64_t now_ns)
{
    while (c->oldest != NULL && now_ns > c->oldest->used_ns && now_ns - c->oldest->used_ns > c->options.idle_ns) {
        drop(c, c->oldest);
        c->counts.expired++;
    }
}

/* One caller's conversations, who fills the memory, would block the requests of all others until they are idle for long enough. */
static void make_room(struct conversations *c, const struct conversation *opened)
{
    uint64_t quarter = c->options.bytes_max / 4;
    uint64_t room = c->options.limits.bytes < quarter ? c->options.limits.bytes : quarter;
    struct conversation *newer;

    for (struct conversation *at = c->oldest; at != NULL && atomic_load(&c->budget.used) > c->options.bytes_max - room; at = newer) {
        newer = at->newer;
        if (at != opened && !masking_is_shared(at->masking)) {
            drop(c, at);
            c->counts.displaced++;
        }
    }
}

static void add(struct conversations *c, struct conversation *at, uint64_t now_ns)
{
    if (c->counts.open == c->options.max) {
        drop(c, c->oldest);
        c->counts.displaced++;
    }
    for (enum lookup by = 0; by < LOOKUPS; by++) {
        struct conversation **bucket = bucket_of(c, by, lookup_bytes(at, by));
        at->chain[by] = *bucket;
        *bucket = at;
    }
    put_newest(c, at, now_ns);
    c->counts.open++;
    c->counts.opened++;
}

/* --- life ------------------------------------------------------------------------ */

void conversations_free(struct conversations *c)
{
    if (c == NULL) {
        return;
    }
    if (c->has_thread) {
        (void)pthread_mutex_lock(&c->lock);
        c->is_stopping = true;
        (void)pthread_cond_signal(&c->change);
        (void)pthread_mutex_unlock(&c->lock);
        (void)pthread_join(c->thread, NULL);
    }
    while (c->oldest != NULL) {
        drop(c, c->oldest);
    }
    for (enum lookup by = 0; by < LOOKUPS; by++) {
        free(c->buckets[by]);
    }
    locked_pages_free(c->key, locked_pages_size(MASKING_KEY));
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->change);
    free(c);
}

/* Often enough that a value stays at most half as long again as the idle time. */
static void *watch(void *context)
{
    struct conversations *c = context;
    uint64_t step_ns = c->options.idle_ns / 2 + 1;

    (void)pthread_mutex_lock(&c->lock);
    while (!c->is_stopping) {
        uint64_t until = clock_monotonic_ns() + step_ns;
        struct timespec end = {.tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};
        (void)pthread_cond_timedwait(&c->change, &c->lock, &end);
        expire(c, clock_monotonic_ns());
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

bool conversations_start(struct conversations *c, struct error *err)
{
    c->has_thread = thread_start(&c->thread, watch, c, err);
    return c->has_thread;
}

struct conversations *conversations_new(const struct conversations_options *options, struct error *err)
{
    struct conversations *c = calloc(1, sizeof(*c));

    if (c == NULL || !condition_init(&c->change)) {
        free(c);
        error_set(err, ERROR_NO_MEMORY, "conversations: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&c->lock, NULL);
    c->options = *options;
    c->budget.max = options->bytes_max;
    c->options.limits.budget = &c->budget;
    for (c->n_buckets = 1; c->n_buckets < options->max && c->n_buckets < BUCKETS_MAX;) {
        c->n_buckets *= 2;
    }
    for (enum lookup by = 0; by < LOOKUPS; by++) {
        c->buckets[by] = calloc(c->n_buckets, sizeof(struct conversation *));
    }
    c->key = locked_pages_new(locked_pages_size(MASKING_KEY));
    if (c->buckets[BY_KEY] == NULL || c->buckets[BY_HANDLE] == NULL || c->key == NULL) {
        error_set(err, ERROR_NO_MEMORY, "conversations: no memory");
        conversations_free(c);
        return NULL;
    }
    int code = gnutls_rnd(GNUTLS_RND_KEY, c->key, MASKING_KEY);
    if (code != 0) {
        error_set(err, ERROR_INTERNAL, "conversations: %s", gnutls_strerror(code));
        conversations_free(c);
        return NULL;
    }
    return c;
}

/* --- use ------------------------------------------------------------------------- */

/* Of the owner and the id, or a random one. */
static bool make_key(const struct conversations *c, const struct conversation_owner *owner, struct span id, uint8_t key[MASKING_KEY],
                     struct error *err)
{
    uint8_t both[CONVERSATION_OWNER + CONVERSATION_ID_MAX];

    memcpy(both, owner->bytes, sizeof(owner->bytes));
    if (id.len > 0) {
        memcpy(both + CONVERSATION_OWNER, id.ptr, id.len);
    }
    int code = id.len == 0 ? gnutls_rnd(GNUTLS_RND_KEY, key, MASKING_KEY)
                           : gnutls_hmac_fast(GNUTLS_MAC_SHA256, c->key, MASKING_KEY, both, CONVERSATION_OWNER + id.len, key);
    return code == 0 || error_set(err, ERROR_INTERNAL, "conversations: %s", gnutls_strerror(code));
}

static struct conversation *make(const struct conversations *c, const struct conversation_owner *owner, const uint8_t key[MASKING_KEY],
                                 struct error *err)
{
    struct conversation *at = calloc(1, sizeof(*at));

    if (at == NULL) {
        error_set(err, ERROR_NO_MEMORY, "conversations: no memory");
        return NULL;
    }
    at->owner = *owner;
    memcpy(at->key, key, sizeof(at->key));
    int code = gnutls_rnd(GNUTLS_RND_RANDOM, at->handle, sizeof(at->handle));
    if (code != 0) {
        error_set(err, ERROR_INTERNAL, "conversations: %s", gnutls_strerror(code));
    } else {
        at->masking = masking_new(key, &c->options.limits, err);
    }
    if (at->masking == NULL) {
        free(at);
        return NULL;
    }
    return at;
}

static void write_handle(const uint8_t *bytes, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < CONVERSATION_HANDLE; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[CONVERSATION_HANDLE_TEXT] = '\0';
}

static bool read_handle(struct span text, uint8_t *bytes)
{
    if (text.len != CONVERSATION_HANDLE_TEXT) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = ascii_hex_value(text.ptr[i]);
        if (digit == ASCII_NOT_HEX || ascii_is_upper(text.ptr[i])) {
            return false;
        }
        bytes[i / 2] = (uint8_t)(i % 2 == 0 ? digit << 4 : bytes[i / 2] | digit);
    }
    return true;
}

struct masking *conversations_open(struct conversations *c, const struct conversation_owner *owner, struct span id, uint64_t now_ns,
                                   char handle[CONVERSATION_HANDLE_TEXT + 1], struct error *err)
{
    uint8_t key[MASKING_KEY];
    struct masking *m = NULL;

    if (id.len > CONVERSATION_ID_MAX) {
        error_set(err, ERROR_INVALID, "conversation: an id of at most %d bytes expected", CONVERSATION_ID_MAX);
        return NULL;
    }
    if (!make_key(c, owner, id, key, err)) {
        return NULL;
    }
    (void)pthread_mutex_lock(&c->lock);
    expire(c, now_ns);
    struct conversation *at = find(c, BY_KEY, key);
    if (at != NULL) {
        unlink_age(c, at);
        put_newest(c, at, now_ns);
    } else if ((at = make(c, owner, key, err)) != NULL) {
        add(c, at, now_ns);
    }
    if (at != NULL) {
        make_room(c, at);
        write_handle(at->handle, handle);
        m = masking_ref(at->masking);
    }
    (void)pthread_mutex_unlock(&c->lock);
    explicit_bzero(key, sizeof(key));
    return m;
}

struct masking *conversations_exchange(struct conversations *c, struct error *err)
{
    return masking_new(NULL, &c->options.limits, err);
}

struct masking *conversations_find(struct conversations *c, const struct conversation_owner *owner, struct span handle,
                                   uint64_t now_ns)
{
    uint8_t bytes[CONVERSATION_HANDLE];
    struct masking *m = NULL;

    if (!read_handle(handle, bytes)) {
        return NULL;
    }
    (void)pthread_mutex_lock(&c->lock);
    expire(c, now_ns);
    struct conversation *at = find(c, BY_HANDLE, bytes);
    if (at != NULL && gnutls_memcmp(at->owner.bytes, owner->bytes, CONVERSATION_OWNER) == 0) {
        unlink_age(c, at);
        put_newest(c, at, now_ns);
        m = masking_ref(at->masking);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return m;
}

void conversations_expire(struct conversations *c, uint64_t now_ns)
{
    (void)pthread_mutex_lock(&c->lock);
    expire(c, now_ns);
    (void)pthread_mutex_unlock(&c->lock);
}

void conversations_count(struct conversations *c, struct conversations_counts *out)
{
    (void)pthread_mutex_lock(&c->lock);
    *out = c->counts;
    out->bytes = atomic_load(&c->budget.used);
    (void)pthread_mutex_unlock(&c->lock);
}
