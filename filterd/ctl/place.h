/* place.h - line and column of a byte in a text, both from 1; columns are code points.
 *
 * Questions in rising order cost one pass over the text together. */
#ifndef FILTERD_CTL_PLACE_H
#define FILTERD_CTL_PLACE_H

#include "base/span.h"

struct place {
    struct span text;
    size_t offset, line, column;
};

void place_init(struct place *p, struct span text, size_t first_line);
/* Moves to the byte at `offset`. */
void place_seek(struct place *p, size_t offset);

#endif
