/* fuzz_record_proof.c - proofs and receipts of any bytes: what is read is written again as it was, and proves nothing by
 * chance. */
#include <assert.h>
#include <sodium.h>
#include <stdint.h>

#include "record/proof.h"
#include "record/receipt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_receipt(struct span bytes)
{
    char again[RECEIPT_TEXT + 1];
    struct tree_hash leaf;
    struct error err;
    uint64_t seq;

    if (receipt_parse(bytes, &seq, &leaf, &err)) {
        receipt_format(seq, &leaf, again);
        assert(span_is(bytes, again));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span bytes = span_of((const char *)data, size), none = {NULL, 0};
    struct tree_hash leaf;
    struct proof proof;
    struct error err;
    struct buf extra, again;

    if (sodium_init() < 0) {
        return 0;
    }
    read_receipt(bytes);
    if (!proof_parse(bytes, &proof, &err)) {
        return 0;
    }
    buf_init(&extra, PROOF_EXTRA_MAX + 4);
    buf_init(&again, 2 * PROOF_MAX);
    assert(proof_extra(&proof, &extra, &err));
    assert(buf_reserve(&extra, 1, &err)); /* empty data are not none */
    size_t head = (size_t)(proof.checkpoint.note.text.ptr - bytes.ptr);
    assert(proof_format(proof.has_extra ? buf_span(&extra) : none, proof.index, &proof.path,
                        span_slice(bytes, head, bytes.len), &again, &err));
    assert(span_equal(buf_span(&again), bytes));
    tree_hash_leaf(buf_span(&extra), &leaf);
    if (proof_verify(&proof, &leaf, &err)) {
        assert(proof.index < proof.checkpoint.size);
    }
    buf_deinit(&extra);
    buf_deinit(&again);
    return 0;
}
