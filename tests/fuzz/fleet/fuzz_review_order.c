/* fuzz_review_order.c - orders of review consoles of any bytes: what is read is an order for one item, and none is taken without the key. */
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>

#include "review/review_order.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_MAX = 1024 * 1024 };

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span note = span_of((const char *)data, size);
    const uint8_t public[NOTE_PUBLIC] = {1};
    struct review_consoles consoles = {.n = 1};
    const struct note_key *console;
    struct review_order o;
    struct arena memory;
    struct error err;

    if (sodium_init() < 0 || !note_key_make(span_str("desk.example/review"), NOTE_ED25519, public, &consoles.keys[0], &err)) {
        return 0;
    }
    arena_init(&memory, 0, MEMORY_MAX);
    if (review_order_read(note, &memory, &o, &err)) {
        must(size <= REVIEW_ORDER_MAX && o.line.n_items == 1 && !o.line.has_group && o.line.items[0] > 0 && o.line.verb != ITEM_NO_VERB);
        must(review_order_id_is_valid(span_str(o.id)) && o.node.len > 0 && o.line.by.len > 0);
    }
    must(!review_order_verify(note, &consoles, &memory, &o, &console, &err));
    arena_deinit(&memory);
    return 0;
}
