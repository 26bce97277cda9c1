/* pack_delta.h - deltas of Git's packs: a content as copies of parts of another one, and what is new.
 *
 * The format is gitformat-pack(5), "Deltified representation". Deltas may be hostile. */
#ifndef FILTERD_CTL_SOURCE_PACK_DELTA_H
#define FILTERD_CTL_SOURCE_PACK_DELTA_H

#include "base/error.h"
#include "base/span.h"

/* Takes the sizes off the front; fails where the first is not that of the base. *len: bytes of the content. */
MUST_CHECK bool pack_delta_begin(struct span *delta, size_t base_len, size_t *len, struct error *err);
/* What is behind the sizes. Fills all of to[0, len), or fails. */
MUST_CHECK bool pack_delta_apply(struct span delta, struct span base, char *to, size_t len, struct error *err);

#endif
