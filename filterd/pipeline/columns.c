#include "pipeline/columns.h"

enum { COLUMNS_MAX = 4096, SLOTS_FIRST = 64 };

struct column_slot {
    uint64_t place;
    uint32_t number; /* 0: free */
};

uint64_t column_step(uint64_t place, struct span name)
{
    uint64_t hash = (place ^ 14695981039346656037U) * 1099511628211U;

    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.ptr[i]) * 1099511628211U;
    }
    return hash;
}

static struct column_slot *find(struct column_slot *slots, size_t cap, uint64_t place)
{
    size_t at = (size_t)(place ^ place >> 32) % cap;

    while (slots[at].number != 0 && slots[at].place != place) {
        at = (at + 1) % cap;
    }
    return &slots[at];
}

/* Half of the slots stay free. */
static bool grow(struct arena *a, struct column_table *t, struct error *err)
{
    size_t cap = t->cap == 0 ? SLOTS_FIRST : 2 * t->cap;
    struct column_slot *slots = arena_array(a, cap, sizeof(*slots), err);

    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, cap * sizeof(*slots));
    for (size_t i = 0; i < t->cap; i++) {
        if (t->slots[i].number != 0) {
            *find(slots, cap, t->slots[i].place) = t->slots[i];
        }
    }
    t->slots = slots;
    t->cap = cap;
    return true;
}

bool column_number(struct arena *a, struct column_table *t, uint64_t place, uint32_t *number, struct error *err)
{
    if (2 * (size_t)t->n >= t->cap && !grow(a, t, err)) {
        return false;
    }
    struct column_slot *slot = find(t->slots, t->cap, place);
    if (slot->number == 0 && t->n < COLUMNS_MAX) {
        *slot = (struct column_slot){.place = place, .number = ++t->n};
    }
    *number = slot->number;
    return true;
}
