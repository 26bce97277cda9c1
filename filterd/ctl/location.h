/* location.h - line and column of a byte in a text, both from 1; columns are code points.
 *
 * Questions in rising order cost one pass over the text together. */
#ifndef FILTERD_CTL_LOCATION_H
#define FILTERD_CTL_LOCATION_H

#include "base/span.h"

struct location {
    struct span text;
    size_t offset, line, column;
};

void location_init(struct location *p, struct span text, size_t first_line);
/* Moves to the byte at `offset`. */
void location_seek(struct location *p, size_t offset);

#endif
