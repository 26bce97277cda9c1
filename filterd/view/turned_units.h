/* turned_units.h - escapes and numbers one behind another, as they are in a text that was written backwards or in
 * ROT13: 76%86%, 76 86, \k67\k68. */
#ifndef FILTERD_VIEW_TURNED_UNITS_H
#define FILTERD_VIEW_TURNED_UNITS_H

#include "view/pending.h"

enum turned { TURNED_BACKWARDS = 1, TURNED_ROT13 = 2, TURNED_BOTH = 3 };

struct turned_units {
    size_t from, to;
    unsigned turns; /* how to turn them: an enum turned */
};

/* The first units with reason to be turned of which one begins or ends with a sign in [at, end). */
bool turned_units_find(struct span text, size_t at, size_t end, struct turned_units *out);
/* The first list of numbers likewise that begins in [at, end). */
bool turned_units_find_list(struct span text, size_t at, size_t end, struct turned_units *out);
/* Those that begin at `from`. */
bool turned_units_read(struct span text, size_t from, struct turned_units *out);
/* The units at the end of the text that may go on. */
struct pending turned_units_pending(struct span text, size_t first);

#endif
