/* arena.h - memory that lives as long as one exchange.
 *
 * An exchange allocates everything from its worker's arena, and one arena_reset frees it. Up to `keep` bytes of blocks
 * survive resets, so after warm-up nothing is allocated. Memory is
 * aligned to 16 bytes and not zeroed. Not thread-safe: one arena belongs to one worker. */
#ifndef FILTERD_BASE_ARENA_H
#define FILTERD_BASE_ARENA_H

#include "base/error.h"
#include "base/span.h"

struct arena_block;

struct arena {
    struct arena_block *first, *current;
    size_t used, max; /* bytes allocated since the last reset, and their limit */
    size_t keep;      /* bytes of blocks that survive a reset */
    bool is_locked;   /* in locked pages (base/locked_pages.h) */
};

void arena_init(struct arena *a, size_t keep, size_t max);
void arena_deinit(struct arena *a);
void arena_reset(struct arena *a);
/* What is allocated from now on is in locked pages, and a reset wipes it; what was allocated is gone. */
void arena_lock(struct arena *a);

/* NULL with err when the limit is reached or memory is exhausted. */
MUST_CHECK void *arena_alloc(struct arena *a, size_t size, struct error *err);
MUST_CHECK void *arena_array(struct arena *a, size_t n, size_t size, struct error *err);
MUST_CHECK bool arena_copy(struct arena *a, struct span text, struct span *copy, struct error *err);
/* A NUL-terminated copy. */
MUST_CHECK const char *arena_string(struct arena *a, struct span text, struct error *err);

#endif
