/* encoding.h - texts that say by a byte order mark how they are encoded, turned into UTF-8 piece by piece.
 *
 * UTF-16 and UTF-32 in both byte orders, as editors and PowerShell's `>` write them. What is no code point becomes U+FFFD:
 * nothing is left out, so nothing can hide in what was left out. */
#ifndef FILTERD_VIEW_ENCODING_H
#define FILTERD_VIEW_ENCODING_H

#include <stdint.h>

#include "base/buf.h"

struct encoding {
    unsigned unit; /* bytes: 2 or 4; 1: the text is as it is */
    bool is_big;   /* the first byte of a unit is its highest */
    unsigned char part[4]; /* of a unit that ended the last piece in its middle */
    size_t n_part;
    uint32_t high; /* surrogate that waits for its partner; 0: none */
};

/* Reads the mark that the text begins with; returns its length, 0 for none. */
size_t encoding_detect(struct span start, struct encoding *out);
/* Whether more of the text is needed to tell. */
bool encoding_needs_more(struct span start);

/* For units of more than one byte. */
MUST_CHECK bool encoding_append(struct encoding *e, struct span piece, struct buf *out, struct error *err);
/* What the text was cut off in. */
MUST_CHECK bool encoding_end(struct encoding *e, struct buf *out, struct error *err);

#endif
