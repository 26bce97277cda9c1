/* fuzz_checks.c - every check bears any value; the first byte picks the check. */
#include <stdint.h>

#include "checks/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct check_args none = {.is_given = {false}};
    size_t n = 0;
    const struct check_type *const *all = check_all(&n);

    if (size == 0 || size - 1 > CHECK_SPAN_MAX) {
        return 0;
    }
    (void)all[data[0] % n]->passes(span_of((const char *)data + 1, size - 1), &none);
    return 0;
}
