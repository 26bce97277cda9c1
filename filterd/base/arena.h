/* arena.h - memory that lives as long as one exchange.
 *
 * Everything an exchange makes comes from its worker's arena and dies in one arena_reset. Blocks
 * are kept across resets up to `keep` bytes, so after warm-up nothing is allocated. Memory is
 * aligned to 16 bytes and not zeroed. Not thread-safe: one arena belongs to one worker. */
#ifndef FILTERD_BASE_ARENA_H
#define FILTERD_BASE_ARENA_H

#include "base/error.h"
#include "base/span.h"

struct arena_block;

struct arena {
    struct arena_block *first, *current;
    size_t used, max; /* bytes handed out since the last reset; the ceiling on them */
    size_t keep;      /* bytes of blocks that survive a reset */
};

void arena_init(struct arena *a, size_t keep, size_t max);
void arena_deinit(struct arena *a);
void arena_reset(struct arena *a);

/* NULL with err filled when the ceiling is reached or memory is out. */
MUST_CHECK void *arena_alloc(struct arena *a, size_t size, struct error *err);
MUST_CHECK void *arena_array(struct arena *a, size_t n, size_t size, struct error *err);
MUST_CHECK bool arena_copy(struct arena *a, struct span text, struct span *copy, struct error *err);
/* A copy with a NUL behind it. */
MUST_CHECK const char *arena_string(struct arena *a, struct span text, struct error *err);

#endif
