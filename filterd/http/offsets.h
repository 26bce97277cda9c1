/* offsets.h - where a byte of a UTF-8 text is in code points and in UTF-16 units.
 *
 * Marks every OFFSETS_STEP bytes keep a lookup short however many findings overlap. In ill-formed
 * text the counts are those of its lead bytes. */
#ifndef FILTERD_HTTP_OFFSETS_H
#define FILTERD_HTTP_OFFSETS_H

#include "base/arena.h"

enum { OFFSETS_STEP = 4096 };

struct position {
    size_t chars, utf16;
};

struct offsets {
    struct span text;
    const struct position *marks; /* marks[i]: position of byte i * OFFSETS_STEP */
};

MUST_CHECK bool offsets_init(struct arena *a, struct span text, struct offsets *out,
                             struct error *err);
/* at <= text.len */
struct position offsets_find(const struct offsets *o, size_t at);

#endif
