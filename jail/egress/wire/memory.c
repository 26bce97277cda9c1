#include "jail/egress/wire/memory.h"

void egress_memory_raise(struct egress_memory *m, struct buf *b, size_t more)
{
    size_t n = atomic_load(&m->n), taken = 0;

    do {
        taken = more < m->max - n ? more : m->max - n;
    } while (!atomic_compare_exchange_weak(&m->n, &n, n + taken));
    b->max += taken;
}

void egress_memory_trim(struct egress_memory *m, struct buf *b)
{
    (void)atomic_fetch_sub(&m->n, b->max - b->cap);
    b->max = b->cap;
}

void egress_memory_free(struct egress_memory *m, struct buf *b)
{
    buf_deinit(b);
    (void)atomic_fetch_sub(&m->n, b->max);
    buf_init(b, 0);
}
