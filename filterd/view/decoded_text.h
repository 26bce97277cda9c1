/* decoded_text.h - the text in decoded bytes: what of them becomes pieces.
 *
 * Hashes, images and identifiers decode to bytes that are text here and there by chance; stretches
 * too short to be anything else give nothing. */
#ifndef FILTERD_VIEW_DECODED_TEXT_H
#define FILTERD_VIEW_DECODED_TEXT_H

#include "view/transform.h"

enum {
    TEXT_WHOLE_MIN = 6, /* characters, when all bytes are text */
    TEXT_PART_MIN = 10, /* … when some are not */
};

struct stretch {
    size_t from, to; /* in the decoded bytes */
    size_t stride;   /* bytes per character: 1 in UTF-8, 2 in UTF-16LE */
};

/* The first stretch of text at or behind `at`. Behind the start, a stretch begins with as many
 * ASCII characters as a part must have: bytes that by chance are UTF-8 are frequent. */
bool stretch_next(struct span decoded, size_t at, struct stretch *out);

/* Where decoded bytes come from: each `decoded_unit` bytes from `encoded_unit` characters, from
 * `from` on, the last ones from what is left before `to`. */
struct encoding {
    size_t from, to;
    uint8_t decoded_unit, encoded_unit;
};

/* One piece for each stretch. UTF-16 is made UTF-8 in place. Returns how many. */
size_t decoded_text_write(const struct transform *t, char *decoded, size_t len,
                          const struct encoding *e, struct builder *b);

#endif
