/* stretches.h - where a text may have what requirements ask for (requirement.h), with room on both sides.
 *
 * 64 bytes of the text become bits of each class. Where enough of them stand together is a place; a stretch is a place and
 * `reach` bytes before and behind it, so a match that holds the place and is no longer than that lies inside, with the character
 * on either side that an anchor looks at. Stretches that touch are one; they begin and end between characters.
 *
 * Immutable once made; any number of threads may search with it. */
#ifndef FILTERD_REGEX_STRETCHES_H
#define FILTERD_REGEX_STRETCHES_H

#include <stdint.h>

#include "base/span.h"
#include "regex/byte_class.h"
#include "regex/byte_lookup.h"
#include "regex/byte_rows.h"
#include "regex/requirement.h"

enum { STRETCH_GATES_MAX = 6 };

struct stretch_gate {
    struct byte_class class;
    struct byte_lookup lookup; /* the same class */
    struct byte_row row;
    unsigned n, within;
    uint32_t reach;
    bool shares_bits; /* its class is that of the gate before */
};

struct stretches {
    struct stretch_gate gates[STRETCH_GATES_MAX];
    size_t n;
};

/* Gates have the numbers 0, 1, … in the order in which they are added. False when the class is empty or has too many ranges, `within`
 * is more than BYTE_CLASS_STEP, or there is no room. Gates of one class one behind another share its bits. */
bool stretches_add(struct stretches *s, const struct requirement *required, uint32_t reach);

/* Stops the search when it returns false. */
typedef bool stretch_found_fn(void *context, size_t gate, size_t from, size_t to);
/* Calls `found` for each stretch [from, to), in order for each gate. The text is UTF-8. False when it was stopped. */
bool stretches_each(const struct stretches *s, struct span text, stretch_found_fn *found, void *context);

#endif
