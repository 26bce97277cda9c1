/* memory.h - how much memory the bodies of all connections may take together. They are outside of the jail's own limit. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_MEMORY_H
#define FILTERD_JAIL_EGRESS_WIRE_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/buf.h"

struct egress_memory {
    _Atomic size_t n; /* bytes in use */
    size_t max;
};

/* Raises the buffer's limit by `more` bytes, or by what is left; its limit is what it holds. */
void egress_memory_raise(struct egress_memory *m, struct buf *b, size_t more);
/* Gives back what the buffer has not used. */
void egress_memory_trim(struct egress_memory *m, struct buf *b);
/* Frees the buffer, and gives all back. */
void egress_memory_free(struct egress_memory *m, struct buf *b);

#endif
