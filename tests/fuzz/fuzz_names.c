/* A file of names of any bytes is loaded, and then answers, or refused with a reason that has a place. */
#include <stdlib.h>

#include "policy/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct names *n = names_load("names.yaml", span_of((const char *)data, size), &err);

    if (n == NULL && strncmp(err.text, "names.yaml", 10) != 0 && err.kind != ERROR_NO_MEMORY && err.kind != ERROR_LIMIT) {
        abort();
    }
    for (int i = 0; n != NULL && i < NAMING_COUNT; i++) {
        struct span_list list = names_of(n, span_str("iban"), (enum naming)i);
        for (size_t k = 0; k < list.n; k++) {
            if (list.items[k].len == 0 || list.items[k].len > NAMES_MAX_LEN ||
                !names_has(n, span_str("iban"), (enum naming)i, list.items[k])) {
                abort();
            }
        }
    }
    names_free(n);
    return 0;
}
