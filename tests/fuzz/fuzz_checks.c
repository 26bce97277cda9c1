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
    const struct check_type *type = all[data[0] % n];
    struct span text = span_of((const char *)data + 1, size - 1);
    (void)type->passes(text, &none);
    if (type->passes_behind != NULL) {
        (void)type->passes_behind(span_slice(text, 0, text.len / 2), span_slice(text, text.len / 2, text.len), &none);
    }
    return 0;
}
