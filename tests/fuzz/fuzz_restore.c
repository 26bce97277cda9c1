/* fuzz_restore.c - any text is restored alike in one piece and in many, and what is held is the beginning of a pseudonym.
 *
 * The first byte is the syntax, the second the length of the pieces. */
#include <assert.h>
#include <stdint.h>

#include "mask/restore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The pseudonyms are always the same ones, so that a corpus can have them. */
static struct masking *make(void)
{
    static const uint8_t key[MASKING_KEY] = {7};
    static const struct masked_value values[] = {
        {.kind = {"key", 3}, .value = {"a \"value\"\n", 10}},
        {.kind = {"key", 3}, .value = {"[key-", 5}},
        {.kind = {"card", 4}, .form = MASKING_CARD, .value = {"5105 1051 0510 5100", 19}},
        {.kind = {"email", 5}, .form = MASKING_EMAIL, .value = {"a@b.example", 11}},
    };
    struct error err;
    struct masking *m = masking_new(key, &masking_limits_default, &err);

    assert(m != NULL);
    for (size_t i = 0; i < COUNT(values); i++) {
        struct span out;
        bool is_issued = masking_pseudonym(m, &values[i], NULL, 0, &out, &err);
        assert(is_issued);
    }
    return m;
}

static void feed_pieces(struct restorer *r, struct span text, size_t step, struct buf *out)
{
    struct error err;

    while (text.len > 0) {
        size_t n = step < text.len ? step : text.len;
        bool is_fed = restorer_feed(r, span_slice(text, 0, n), false, out, &err);
        assert(is_fed && r->n_held < RESTORE_HELD_MAX);
        text = span_slice(text, n, text.len);
    }
    bool is_ended = restorer_feed(r, span_of("", 0), true, out, &err);
    assert(is_ended && r->n_held == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct masking *m;
    struct restore_counts counts = {0};
    struct restorer r;
    struct buf whole, pieces;
    struct error err;

    if (size < 2) {
        return 0;
    }
    m = m == NULL ? make() : m;
    enum restore_syntax syntax = (enum restore_syntax)(data[0] % 3);
    struct span text = span_of((const char *)data + 2, size - 2);
    buf_init(&whole, 64 * size + 4096);
    buf_init(&pieces, 64 * size + 4096);
    bool is_restored = restore_whole(m, syntax, 0, text, &counts, &whole, &err);
    assert(is_restored);
    restorer_init(&r, m, syntax, 0);
    feed_pieces(&r, text, 1 + data[1] % 64, &pieces);
    assert(span_equal(buf_span(&whole), buf_span(&pieces)));
    assert(r.counts.restored == counts.restored && r.counts.unknown == counts.unknown);
    restorer_deinit(&r);
    buf_deinit(&whole);
    buf_deinit(&pieces);
    return 0;
}
