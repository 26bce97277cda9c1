/* fuzz_record_add_checkpoint.c - requests to a witness of any bytes: what is read is written again as it was. */
#include <assert.h>
#include <sodium.h>
#include <stdint.h>

#include "record/add_checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span bytes = span_of((const char *)data, size);
    struct add_checkpoint request;
    struct error err;
    struct buf again;

    if (sodium_init() < 0 || !add_checkpoint_parse(bytes, &request, &err)) {
        return 0;
    }
    buf_init(&again, 2 * ADD_CHECKPOINT_MAX);
    assert(add_checkpoint_format(request.old, &request.proof, request.checkpoint, &again, &err));
    assert(span_equal(buf_span(&again), bytes));
    buf_deinit(&again);
    return 0;
}
