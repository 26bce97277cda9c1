/* fuzz_review_body.c - the body of a step: read strictly, never with the input in a fault. The first byte says whether it is a
 * bulk. */
#include <stdlib.h>

#include "http/review_body.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_body(const struct review_body *body, bool is_bulk)
{
    must(body->disposition < ITEM_DISPOSITIONS && body->snooze.until_ms >= 0);
    must(is_bulk == (body->verb != ITEM_NO_VERB));
    must(is_bulk ? body->has_group != (body->n_items > 0) : body->n_items == 0 && !body->has_group);
    for (size_t i = 1; i < body->n_items; i++) {
        must(body->items[i] > body->items[i - 1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "CANARY-4f2b91";
    const struct span text = span_of((const char *)data + 1, size == 0 ? 0 : size - 1);
    struct filter_fault fault = {0};
    struct review_body body;
    struct arena memory;

    if (size == 0) {
        return 0;
    }
    bool is_bulk = (data[0] & 1) != 0;
    arena_init(&memory, 0, 1 << 20);
    if (review_body_read(&memory, text, is_bulk, &body, &fault)) {
        check_body(&body, is_bulk);
    } else {
        must(fault.status == 400 || fault.status == 413 || fault.status == 422);
        must(fault.detail[0] != '\0' && strstr(fault.detail, mark) == NULL && strstr(fault.pointer, mark) == NULL);
    }
    arena_deinit(&memory);
    return 0;
}
