/* A file of upstreams of any bytes is read or refused with a reason that has a place. */
#include <stdint.h>
#include <stdlib.h>

#include "upstream/upstream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct upstreams *u = upstreams_parse("up.yaml", span_of((const char *)data, size), &err);

    if (u == NULL && strncmp(err.text, "up.yaml", 7) != 0 && err.kind != ERROR_NO_MEMORY &&
        err.kind != ERROR_LIMIT) {
        abort();
    }
    for (size_t i = 0; u != NULL && i < u->n; i++) {
        if (u->items[i].url == NULL || u->items[i].protocol == NULL || u->items[i].port > 65535 ||
            upstreams_find(u, u->items[i].name) == NULL) {
            abort();
        }
    }
    upstreams_unref(u);
    return 0;
}
