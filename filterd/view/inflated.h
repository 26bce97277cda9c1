/* inflated.h - text that was compressed before it was encoded: gzip's format and zlib's.
 *
 * No more than INFLATED_MAX bytes are read of what is compressed, and what it holds beyond is not judged as text. Memory is
 * asked for once the length is known. */
#ifndef FILTERD_VIEW_INFLATED_H
#define FILTERD_VIEW_INFLATED_H

#include "view/transform.h"

enum { INFLATED_MAX = 64 * 1024 };

/* Writes the text in `bytes`, decoded from `encoded` of the piece, if they are compressed: one piece for each stretch, each
 * character from all of `encoded`. False when they are not. */
bool inflated_write(const struct transform *t, struct span bytes, const struct region *encoded, struct builder *b);

#endif
