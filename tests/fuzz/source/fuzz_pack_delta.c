/* Any bytes as a delta, of a base that they bring: a content of the size that it says, or an error. Byte 0 is the length of the base. */
#include <stdint.h>
#include <stdlib.h>

#include "ctl/source/pack_delta.h"

enum { CONTENT_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    size_t len;

    if (size == 0 || data[0] >= size) {
        return 0;
    }
    struct span base = span_of((const char *)data + 1, data[0]);
    struct span delta = span_of((const char *)data + 1 + base.len, size - 1 - base.len);
    if (!pack_delta_begin(&delta, base.len, &len, &err) || len > CONTENT_MAX) {
        return 0;
    }
    char *to = malloc(len + 1); /* so that a byte too many is seen */
    if (to == NULL) {
        abort();
    }
    if (!pack_delta_apply(delta, base, to, len, &err) && err.kind != ERROR_MALFORMED) {
        abort();
    }
    free(to);
    return 0;
}
