#include "jail/egress/wire/held.h"

void egress_held_raise(struct egress_held *h, struct buf *b, size_t more)
{
    size_t n = atomic_load(&h->n), taken = 0;

    do {
        taken = more < h->max - n ? more : h->max - n;
    } while (!atomic_compare_exchange_weak(&h->n, &n, n + taken));
    b->max += taken;
}

void egress_held_trim(struct egress_held *h, struct buf *b)
{
    (void)atomic_fetch_sub(&h->n, b->max - b->cap);
    b->max = b->cap;
}

void egress_held_free(struct egress_held *h, struct buf *b)
{
    buf_deinit(b);
    (void)atomic_fetch_sub(&h->n, b->max);
    buf_init(b, 0);
}
