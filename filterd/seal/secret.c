#include "seal/secret.h"

#include <sodium.h>

bool secret_init(struct secret *s, size_t size, struct error *err)
{
    uint8_t *data = sodium_malloc(size > 0 ? size : 1);

    if (data == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "seal: no memory");
    }
    *s = (struct secret){.data = data, .size = size};
    return true;
}

void secret_deinit(struct secret *s)
{
    sodium_free(s->data);
    *s = (struct secret){0};
}

bool secret_append(struct secret *s, struct span bytes, struct error *err)
{
    if (bytes.len > s->size - s->len) {
        return error_set(err, ERROR_LIMIT, "seal: at most %zu bytes expected", s->size);
    }
    if (bytes.len > 0) {
        memcpy(s->data + s->len, bytes.ptr, bytes.len);
        s->len += bytes.len;
    }
    return true;
}
