/* offsets.h - converts a byte offset of a UTF-8 text to code points and UTF-16 units.
 *
 * Marks every OFFSETS_STEP bytes bound the time of a lookup, however many findings overlap. In ill-formed
 * text only lead bytes count. */
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
