/* spill.h - sorts more items than fit in memory, in temporary files that have no name.
 *
 *   s = spill_new(folder, size, &err);
 *   spill_add(s, item, &err);              (any number of times)
 *   spill_each(s, on_items, context, &err) (sorted, in SPILL_PARTS parts, each with all items that begin with the same byte)
 *
 * Items are sorted as bytes and should begin with a hash, so that the parts are of like size. Memory is that of one part. */
#ifndef FILTERD_DATASET_SPILL_H
#define FILTERD_DATASET_SPILL_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { SPILL_PARTS = 64, SPILL_ITEM_MAX = 32 };

struct spill;

struct spill *spill_new(const char *folder, size_t item_size, struct error *err);
void spill_free(struct spill *s);
MUST_CHECK bool spill_add(struct spill *s, const void *item, struct error *err);
uint64_t spill_count(const struct spill *s);

/* `items` are n items; valid during the call. */
typedef bool spill_fn(void *context, const uint8_t *items, size_t n, struct error *err);
MUST_CHECK bool spill_each(struct spill *s, spill_fn *on_items, void *context, struct error *err);

#endif
