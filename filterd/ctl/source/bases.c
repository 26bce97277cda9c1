#include "ctl/source/bases.h"

#include <sodium.h>
#include <stdlib.h>

enum { BUCKETS = 16 * 1024, OVERHEAD = 128 /* bytes, of one that is kept */, FEW = 50 /* a chain of deltas, as git makes them */ };

_Static_assert(CONTENTS_SECRET == crypto_shorthash_KEYBYTES, "its key");

struct base {
    struct bases_place place;
    struct content *content;
    struct base *next;          /* in its bucket */
    struct base *older, *newer; /* by use */
};

bool bases_init(struct bases *b, size_t max_bytes, struct error *err)
{
    *b = (struct bases){.max_bytes = max_bytes, .near_bytes = max_bytes, .buckets = calloc(BUCKETS, sizeof(struct base *))};
    randombytes_buf(b->secret, sizeof(b->secret));
    return b->buckets != NULL || error_set(err, ERROR_NO_MEMORY, "packs: no memory");
}

static struct base **bucket_of(const struct bases *b, struct bases_place place)
{
    uint64_t hash;

    (void)crypto_shorthash((unsigned char *)&hash, (const unsigned char *)&place, sizeof(place), b->secret);
    return &b->buckets[hash % BUCKETS];
}

/* --- by use ------------------------------------------------------------------- */

static void unlink_use(struct bases *b, struct base *base)
{
    *(base->older != NULL ? &base->older->newer : &b->oldest) = base->newer;
    *(base->newer != NULL ? &base->newer->older : &b->newest) = base->older;
}

static void link_newest(struct bases *b, struct base *base)
{
    base->older = b->newest;
    base->newer = NULL;
    *(b->newest != NULL ? &b->newest->newer : &b->oldest) = base;
    b->newest = base;
}

static size_t cost(const struct base *base)
{
    return base->content->len + OVERHEAD;
}

/* What it points to, or the end of the bucket. */
static struct base **find(const struct bases *b, struct bases_place place)
{
    struct base **at = bucket_of(b, place);

    while (*at != NULL && ((*at)->place.pack != place.pack || (*at)->place.offset != place.offset)) {
        at = &(*at)->next;
    }
    return at;
}

/* Its content is then the caller's to release. */
static struct content *drop(struct bases *b, struct base **at)
{
    struct base *base = *at;
    struct content *content = base->content;

    *at = base->next;
    unlink_use(b, base);
    b->bytes -= cost(base);
    b->n--;
    free(base);
    return content;
}

static void drop_oldest(struct bases *b)
{
    content_release(drop(b, find(b, b->oldest->place)));
}

/* --- interface ------------------------------------------------------------------ */

void bases_deinit(struct bases *b)
{
    while (b->oldest != NULL) {
        drop_oldest(b);
    }
    free(b->buckets);
    sodium_memzero(b->secret, sizeof(b->secret));
    *b = (struct bases){0};
}

struct content *bases_hold(struct bases *b, struct bases_place place)
{
    struct base *base = *find(b, place);

    if (base == NULL) {
        return NULL;
    }
    unlink_use(b, base);
    link_newest(b, base);
    return content_hold(base->content);
}

struct content *bases_take(struct bases *b, struct bases_place place)
{
    struct base **at = find(b, place);

    return *at != NULL ? drop(b, at) : NULL;
}

void bases_put(struct bases *b, struct bases_place place, struct content *content)
{
    struct base *base = content->len + OVERHEAD <= b->max_bytes ? malloc(sizeof(*base)) : NULL;

    if (base == NULL) {
        return;
    }
    struct base **bucket = bucket_of(b, place);
    *base = (struct base){.place = place, .content = content_hold(content), .next = *bucket};
    *bucket = base;
    link_newest(b, base);
    b->bytes += cost(base);
    b->n++;
    while (b->bytes > b->max_bytes || (b->bytes > b->near_bytes && b->n > FEW)) {
        drop_oldest(b);
    }
}
