/* Any bytes are an evidence bundle that holds, or are refused with what does not; a range proof likewise. */
#include <sodium.h>
#include <stdlib.h>

#include "evidence/bundle_check.h"
#include "evidence/range_proof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct range_proof p;
    const struct span bytes = span_of((const char *)data, size);
    struct error err = {0};
    struct bundle_report r;

    if (sodium_init() < 0) {
        abort();
    }
    bool is_good = bundle_check(bytes, NULL, &r, &err);
    if (is_good ? r.lines == 0 || r.size < r.lines : err.text[0] == '\0') {
        abort();
    }
    if (range_proof_parse(bytes, &p, &err) && p.n > RANGE_PROOF_HASHES) {
        abort();
    }
    return 0;
}
