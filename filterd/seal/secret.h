/* secret.h - bytes that stay in memory: locked against swapping where the limit of locked memory allows, left out of
 * core dumps, between guard pages, wiped when they are freed. */
#ifndef FILTERD_SEAL_SECRET_H
#define FILTERD_SEAL_SECRET_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

struct secret {
    uint8_t *data; /* NULL: none */
    size_t len, size;
};

/* Room for `size` bytes, of which none is used yet. Pages are taken for each, so it is not for many small ones. */
MUST_CHECK bool secret_init(struct secret *s, size_t size, struct error *err);
/* Wipes and frees; the secret is empty then. */
void secret_deinit(struct secret *s);
/* Fails with LIMIT when it does not fit: a secret does not grow, as a copy would be left behind. */
MUST_CHECK bool secret_append(struct secret *s, struct span bytes, struct error *err);

static inline struct span secret_span(const struct secret *s)
{
    return span_of((const char *)s->data, s->len);
}

#endif
