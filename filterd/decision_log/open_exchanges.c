#include "decision_log/open_exchanges.h"

#include <stdlib.h>

enum { BUCKET_BITS = 16, BUCKETS = 1 << BUCKET_BITS };

bool open_exchanges_init(struct open_exchanges *t, struct error *err)
{
    *t = (struct open_exchanges){.buckets = calloc(BUCKETS, sizeof(*t->buckets))};
    buf_init(&t->entries, OPEN_EXCHANGES_MAX * sizeof(struct open_exchange));
    return t->buckets != NULL || error_set(err, ERROR_NO_MEMORY, "decision log: no memory");
}

void open_exchanges_deinit(struct open_exchanges *t)
{
    buf_deinit(&t->entries);
    free(t->buckets);
    t->buckets = NULL;
}

static struct open_exchange *entries_of(const struct open_exchanges *t)
{
    return (struct open_exchange *)(void *)t->entries.data;
}

/* The last bytes of an id are random digits; the product's high bits depend on all of them. */
static uint32_t *bucket_of(const struct open_exchanges *t, struct span id)
{
    uint64_t last = 0;

    memcpy(&last, id.ptr + EXCHANGE_ID - sizeof(last), sizeof(last));
    return &t->buckets[last * 0x9e3779b97f4a7c15U >> (64 - BUCKET_BITS)];
}

/* The link that leads to the exchange, or the bucket's end. */
static uint32_t *find(const struct open_exchanges *t, struct span id)
{
    uint32_t *link = bucket_of(t, id);

    while (*link != 0 && memcmp(entries_of(t)[*link - 1].id, id.ptr, EXCHANGE_ID) != 0) {
        link = &entries_of(t)[*link - 1].next;
    }
    return link;
}

/* An index + 1; 0: there is no room. */
static uint32_t make_entry(struct open_exchanges *t)
{
    uint32_t entry = t->free;
    struct error err;

    if (entry != 0) {
        t->free = entries_of(t)[entry - 1].next;
        return entry;
    }
    if (!buf_reserve(&t->entries, sizeof(struct open_exchange), &err)) {
        return 0;
    }
    t->entries.len += sizeof(struct open_exchange);
    return (uint32_t)(t->entries.len / sizeof(struct open_exchange));
}

bool open_exchanges_add(struct open_exchanges *t, struct span id, off_t at, size_t len)
{
    if (*find(t, id) != 0) {
        return true;
    }
    uint32_t entry = make_entry(t);
    if (entry == 0) {
        return false;
    }
    struct open_exchange *e = &entries_of(t)[entry - 1];
    uint32_t *bucket = bucket_of(t, id);
    *e = (struct open_exchange){.next = *bucket, .at = at, .len = len};
    memcpy(e->id, id.ptr, EXCHANGE_ID);
    *bucket = entry;
    return true;
}

void open_exchanges_remove(struct open_exchanges *t, struct span id)
{
    uint32_t *link = find(t, id);
    uint32_t entry = *link;

    if (entry == 0) {
        return;
    }
    struct open_exchange *e = &entries_of(t)[entry - 1];
    *link = e->next;
    e->at = -1;
    e->next = t->free;
    t->free = entry;
}

static int by_place(const void *one, const void *other)
{
    off_t a = ((const struct open_exchange *)one)->at;
    off_t b = ((const struct open_exchange *)other)->at;

    return (a > b) - (a < b);
}

const struct open_exchange *open_exchanges_list(struct open_exchanges *t, size_t *n)
{
    size_t all = t->entries.len / sizeof(struct open_exchange), n_free = 0;

    if (all == 0) {
        *n = 0;
        return NULL;
    }
    qsort(t->entries.data, all, sizeof(struct open_exchange), by_place);
    while (n_free < all && entries_of(t)[n_free].at < 0) {
        n_free++;
    }
    *n = all - n_free;
    return entries_of(t) + n_free;
}
