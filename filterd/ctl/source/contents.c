#include "ctl/source/contents.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

_Static_assert(CONTENTS_SECRET == crypto_shorthash_KEYBYTES, "its key");

struct content_slot {
    struct span id;          /* len 0: free */
    uint32_t expected;       /* versions to come that replace it */
    struct content *content; /* NULL: not kept */
    size_t older, newer;     /* as in struct contents */
};

/* --- contents --------------------------------------------------------------- */

struct content *content_alloc(size_t len, struct error *err)
{
    struct content *c = malloc(sizeof(*c) + len);

    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "contents: no memory");
        return NULL;
    }
    atomic_init(&c->holders, 1);
    atomic_init(&c->form, 0);
    c->len = len;
    return c;
}

struct content *content_new(struct span bytes, struct error *err)
{
    struct content *c = content_alloc(bytes.len, err);

    if (c != NULL && bytes.len > 0) {
        memcpy(c->bytes, bytes.ptr, bytes.len);
    }
    return c;
}

struct content *content_hold(struct content *c)
{
    atomic_fetch_add_explicit(&c->holders, 1, memory_order_relaxed);
    return c;
}

void content_release(struct content *c)
{
    if (c != NULL && atomic_fetch_sub_explicit(&c->holders, 1, memory_order_acq_rel) == 1) {
        free(c);
    }
}

/* --- those that are expected -------------------------------------------------- */

void contents_init(struct contents *c, size_t max_bytes)
{
    *c = (struct contents){.max_bytes = max_bytes};
    randombytes_buf(c->secret, sizeof(c->secret));
}

/* The slot that has the id, or the free one for it. */
static struct content_slot *find(const struct contents *c, struct span id)
{
    uint64_t hash;

    (void)crypto_shorthash((unsigned char *)&hash, (const unsigned char *)id.ptr, id.len, c->secret);
    for (size_t at = hash & (c->n_slots - 1);; at = (at + 1) & (c->n_slots - 1)) {
        if (c->slots[at].id.len == 0 || span_equal(c->slots[at].id, id)) {
            return &c->slots[at];
        }
    }
}

static bool grow(struct contents *c, struct error *err)
{
    struct contents larger = *c;

    larger.n_slots = c->n_slots == 0 ? FIRST_SLOTS : c->n_slots * 2;
    larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
    if (larger.slots == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "contents: no memory");
    }
    for (size_t i = 0; i < c->n_slots; i++) {
        if (c->slots[i].id.len > 0) {
            *find(&larger, c->slots[i].id) = c->slots[i];
        }
    }
    free(c->slots);
    *c = larger;
    return true;
}

bool contents_expect(struct contents *c, struct span id, struct error *err)
{
    assert(id.len > 0 && c->newest == 0); /* slots of those that are kept do not move */
    if (c->n * 2 >= c->n_slots && !grow(c, err)) {
        return false;
    }
    struct content_slot *slot = find(c, id);
    c->n += slot->id.len == 0 ? 1 : 0;
    slot->id = id;
    slot->expected++;
    return true;
}

/* --- those that are kept -------------------------------------------------------- */

static void link_newest(struct contents *c, struct content_slot *slot)
{
    size_t number = (size_t)(slot - c->slots) + 1;

    slot->older = c->newest;
    slot->newer = 0;
    *(c->newest != 0 ? &c->slots[c->newest - 1].newer : &c->oldest) = number;
    c->newest = number;
}

static struct content *unlink_content(struct contents *c, struct content_slot *slot)
{
    struct content *content = slot->content;

    *(slot->older != 0 ? &c->slots[slot->older - 1].newer : &c->oldest) = slot->newer;
    *(slot->newer != 0 ? &c->slots[slot->newer - 1].older : &c->newest) = slot->older;
    slot->content = NULL;
    c->bytes -= content->len;
    return content;
}

static void drop_oldest(struct contents *c)
{
    content_release(unlink_content(c, &c->slots[c->oldest - 1]));
}

void contents_deinit(struct contents *c)
{
    while (c->oldest != 0) {
        drop_oldest(c);
    }
    free(c->slots);
    sodium_memzero(c->secret, sizeof(c->secret));
    *c = (struct contents){0};
}

void contents_put(struct contents *c, struct span id, struct content *content)
{
    struct content_slot *slot = c->n > 0 ? find(c, id) : NULL;

    if (slot == NULL || slot->expected == 0 || slot->content != NULL || content->len > c->max_bytes) {
        return;
    }
    while (c->bytes + content->len > c->max_bytes) {
        drop_oldest(c);
    }
    slot->content = content_hold(content);
    c->bytes += content->len;
    link_newest(c, slot);
}

struct content *contents_take(struct contents *c, struct span id)
{
    struct content_slot *slot = c->n > 0 ? find(c, id) : NULL;

    if (slot == NULL || slot->expected == 0) {
        return NULL;
    }
    slot->expected--;
    if (slot->content == NULL) {
        return NULL;
    }
    return slot->expected == 0 ? unlink_content(c, slot) : content_hold(slot->content);
}
