#include "http/stream_table.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"

struct stream_table {
    struct stream_table_options options;
    pthread_mutex_t lock; /* guards all below, and what the entries say of the table */
    pthread_cond_t change;
    struct stream_entry **buckets;
    size_t mask; /* number of buckets - 1 */
    size_t n;
    struct stream_entry *oldest, *newest; /* of those that wait */
    bool is_stopping, has_thread;
    pthread_t thread;
};

void stream_id_format(const struct stream_id *id, unsigned node, char text[STREAM_ID_TEXT + 1])
{
    int len = node == 0 ? 0 : snprintf(text, STREAM_ID_TEXT + 1, "%02u-", node % (STREAM_NODE_MAX + 1));

    (void)sodium_bin2hex(text + len, STREAM_ID_TEXT + 1 - (size_t)len, id->bytes, sizeof(id->bytes));
}

/* The digits before a hyphen; 0: there are none. */
static unsigned node_of(struct span text)
{
    unsigned node = 0;

    for (size_t i = 0; i < text.len && i <= 4; i++) {
        if (text.ptr[i] == '-') {
            return node;
        }
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return 0;
        }
        node = node * 10 + (unsigned)(text.ptr[i] - '0');
    }
    return 0;
}

enum stream_place stream_id_parse(struct span text, struct stream_id *id, unsigned *node)
{
    unsigned own = *node, its = node_of(text);
    char again[STREAM_ID_TEXT + 1];
    struct stream_id found;
    size_t n = 0;

    const char *hyphen = its == 0 ? NULL : memchr(text.ptr, '-', text.len);
    size_t from = hyphen == NULL ? 0 : (size_t)(hyphen - text.ptr) + 1;
    if (text.len - from != 2 * STREAM_ID ||
        sodium_hex2bin(found.bytes, sizeof(found.bytes), text.ptr + from, text.len - from, NULL, &n, NULL) != 0 ||
        n != sizeof(found.bytes)) {
        return STREAM_ID_NONE;
    }
    stream_id_format(&found, its, again); /* one way to write each */
    if (!span_is(text, again) || (its == 0) != (own == 0)) {
        return STREAM_ID_NONE;
    }
    *id = found;
    *node = its;
    return its == own ? STREAM_ID_HERE : STREAM_ID_ELSEWHERE;
}

struct stream_table *stream_table_new(const struct stream_table_options *options, struct error *err)
{
    struct stream_table *t = calloc(1, sizeof(*t));
    size_t n = 1;

    while (n < options->max) {
        n *= 2;
    }
    if (t != NULL) {
        t->options = *options;
        t->mask = n - 1;
        t->buckets = calloc(n, sizeof(struct stream_entry *));
    }
    if (t == NULL || t->buckets == NULL || !condition_init(&t->change)) {
        free(t == NULL ? NULL : t->buckets);
        free(t);
        error_set(err, ERROR_NO_MEMORY, "streams: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&t->lock, NULL);
    return t;
}

/* Ids are random: any of their bits do. */
static struct stream_entry **bucket_of(struct stream_table *t, const struct stream_id *id)
{
    size_t hash = 0;

    memcpy(&hash, id->bytes, sizeof(hash));
    return &t->buckets[hash & t->mask];
}

static void wait_last(struct stream_table *t, struct stream_entry *e)
{
    e->older = t->newest;
    e->newer = NULL;
    *(t->newest == NULL ? &t->oldest : &t->newest->newer) = e;
    t->newest = e;
}

static void wait_no_more(struct stream_table *t, struct stream_entry *e)
{
    *(e->older == NULL ? &t->oldest : &e->older->newer) = e->newer;
    *(e->newer == NULL ? &t->newest : &e->newer->older) = e->older;
    e->older = NULL;
    e->newer = NULL;
}

static void unchain(struct stream_table *t, const struct stream_entry *e)
{
    struct stream_entry **at = bucket_of(t, &e->id);

    while (*at != e) {
        at = &(*at)->chain;
    }
    *at = e->chain;
    t->n--;
}

bool stream_table_add(struct stream_table *t, struct stream_entry *e, struct error *err)
{
    randombytes_buf(e->id.bytes, sizeof(e->id.bytes));
    e->is_taken = true;
    (void)pthread_mutex_lock(&t->lock);
    bool has_room = t->n < t->options.max;
    if (has_room) {
        struct stream_entry **bucket = bucket_of(t, &e->id);
        e->chain = *bucket;
        *bucket = e;
        t->n++;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return has_room || error_set(err, ERROR_LIMIT, "streams: %zu are open", t->options.max);
}

static struct stream_entry *find(struct stream_table *t, const struct stream_id *id,
                                 const struct stream_owner *owner)
{
    for (struct stream_entry *e = *bucket_of(t, id); e != NULL; e = e->chain) {
        if (sodium_memcmp(e->id.bytes, id->bytes, sizeof(id->bytes)) == 0 &&
            sodium_memcmp(e->owner.bytes, owner->bytes, sizeof(owner->bytes)) == 0) {
            return e;
        }
    }
    return NULL;
}

enum stream_found stream_table_take(struct stream_table *t, const struct stream_id *id,
                                    const struct stream_owner *owner, struct stream_entry **e)
{
    enum stream_found found = STREAM_ABSENT;

    (void)pthread_mutex_lock(&t->lock);
    struct stream_entry *there = find(t, id, owner);
    if (there != NULL && there->is_taken) {
        found = STREAM_BUSY;
    } else if (there != NULL) {
        wait_no_more(t, there);
        there->is_taken = true;
        *e = there;
        found = STREAM_TAKEN;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return found;
}

void stream_table_give_back(struct stream_table *t, struct stream_entry *e)
{
    (void)pthread_mutex_lock(&t->lock);
    e->waits_since_ns = clock_monotonic_ns();
    e->is_taken = false;
    wait_last(t, e);
    if (t->oldest == e) {
        (void)pthread_cond_signal(&t->change); /* the thread may have no deadline to wait for */
    }
    (void)pthread_mutex_unlock(&t->lock);
}

void stream_table_remove(struct stream_table *t, struct stream_entry *e)
{
    (void)pthread_mutex_lock(&t->lock);
    unchain(t, e);
    (void)pthread_mutex_unlock(&t->lock);
}

size_t stream_table_count(struct stream_table *t)
{
    (void)pthread_mutex_lock(&t->lock);
    size_t n = t->n;
    (void)pthread_mutex_unlock(&t->lock);
    return n;
}

/* Takes those out that have waited since before `since_ns`, as a list by `newer`. */
static struct stream_entry *take_out(struct stream_table *t, uint64_t since_ns)
{
    struct stream_entry *first = NULL, **last = &first;

    (void)pthread_mutex_lock(&t->lock);
    while (t->oldest != NULL && t->oldest->waits_since_ns <= since_ns) {
        struct stream_entry *e = t->oldest;
        wait_no_more(t, e);
        unchain(t, e);
        *last = e;
        last = &e->newer;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return first;
}

static void expire_all(const struct stream_table *t, struct stream_entry *first)
{
    while (first != NULL) {
        struct stream_entry *next = first->newer;
        t->options.expired(t->options.context, first);
        first = next;
    }
}

void stream_table_expire(struct stream_table *t, uint64_t now_ns)
{
    if (now_ns >= t->options.wait_ns) {
        expire_all(t, take_out(t, now_ns - t->options.wait_ns));
    }
}

/* Until the one that has waited longest has waited too long, or another stream begins to wait. */
static void wait_for_oldest(struct stream_table *t)
{
    (void)pthread_mutex_lock(&t->lock);
    if (t->oldest == NULL && !t->is_stopping) {
        (void)pthread_cond_wait(&t->change, &t->lock);
    } else if (!t->is_stopping) {
        const struct timespec end = clock_timespec((int64_t)(t->oldest->waits_since_ns + t->options.wait_ns));
        (void)pthread_cond_timedwait(&t->change, &t->lock, &end);
    }
    (void)pthread_mutex_unlock(&t->lock);
}

static bool is_stopping(struct stream_table *t)
{
    (void)pthread_mutex_lock(&t->lock);
    bool is = t->is_stopping;
    (void)pthread_mutex_unlock(&t->lock);
    return is;
}

static void *watch(void *context)
{
    struct stream_table *t = context;

    while (!is_stopping(t)) {
        wait_for_oldest(t);
        stream_table_expire(t, clock_monotonic_ns());
    }
    return NULL;
}

bool stream_table_start(struct stream_table *t, struct error *err)
{
    t->has_thread = pthread_create(&t->thread, NULL, watch, t) == 0;
    return t->has_thread || error_set(err, ERROR_SYSTEM, "streams: no thread");
}

void stream_table_free(struct stream_table *t)
{
    if (t == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&t->lock);
    t->is_stopping = true;
    (void)pthread_cond_signal(&t->change);
    (void)pthread_mutex_unlock(&t->lock);
    if (t->has_thread) {
        (void)pthread_join(t->thread, NULL);
    }
    expire_all(t, take_out(t, UINT64_MAX));
    (void)pthread_cond_destroy(&t->change);
    (void)pthread_mutex_destroy(&t->lock);
    free(t->buckets);
    free(t);
}
