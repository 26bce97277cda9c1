/* fuzz_pem.c - armour of any bytes is read without a crash, and what it says is true. */
#include <assert.h>
#include <stdint.h>

#include "formats/pem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pem pem = {.kind = PEM_OTHER};

    if (pem_parse(span_of((const char *)data, size), &pem)) {
        assert(pem.kind != PEM_OTHER);
        assert(pem.body >= 64 && pem.body < size);
    }
    return 0;
}
