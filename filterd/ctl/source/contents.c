#include "ctl/source/contents.h"

#include <stdlib.h>

enum { SLOTS = 64 * 1024, SLOT_DIGITS = 4, ID_MAX = 64 };

struct content_slot {
    char id[ID_MAX];
    size_t id_len;
    struct content *content; /* NULL: free */
};

/* The same place in every run, so that a scan finds the same each time. */
static size_t slot_of(struct span id)
{
    size_t at = 0;

    for (size_t i = 0; i < id.len && i < SLOT_DIGITS; i++) {
        char c = id.ptr[i];
        at = at * 16 + (size_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return at % SLOTS;
}

struct content *content_new(struct span bytes, struct error *err)
{
    struct content *c = malloc(sizeof(*c) + bytes.len);

    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "contents: no memory");
        return NULL;
    }
    atomic_init(&c->holders, 1);
    c->len = bytes.len;
    if (bytes.len > 0) {
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

bool contents_init(struct contents *c, size_t max_bytes, struct error *err)
{
    *c = (struct contents){.max_bytes = max_bytes};
    c->slots = calloc(SLOTS, sizeof(*c->slots));
    return c->slots != NULL || error_set(err, ERROR_NO_MEMORY, "contents: no memory");
}

static void clear_slot(struct contents *c, struct content_slot *slot)
{
    if (slot->content != NULL) {
        c->bytes -= slot->content->len;
        content_release(slot->content);
        *slot = (struct content_slot){0};
    }
}

void contents_deinit(struct contents *c)
{
    for (size_t i = 0; c->slots != NULL && i < SLOTS; i++) {
        clear_slot(c, &c->slots[i]);
    }
    free(c->slots);
    *c = (struct contents){0};
}

void contents_put(struct contents *c, struct span id, struct content *content)
{
    struct content_slot *slot = &c->slots[slot_of(id)];

    if (content->len > c->max_bytes || id.len > ID_MAX) {
        return;
    }
    clear_slot(c, slot);
    while (c->bytes + content->len > c->max_bytes) {
        clear_slot(c, &c->slots[c->hand++ % SLOTS]);
    }
    *slot = (struct content_slot){.id_len = id.len, .content = content_hold(content)};
    memcpy(slot->id, id.ptr, id.len);
    c->bytes += content->len;
}

struct content *contents_get(const struct contents *c, struct span id)
{
    const struct content_slot *slot = &c->slots[slot_of(id)];
    bool is_there = slot->content != NULL && span_equal(id, span_of(slot->id, slot->id_len));

    return is_there ? content_hold(slot->content) : NULL;
}
