/* pending.h - what at the end of a text may, with more text, be read differently as a whole.
 *
 * A text that comes in pieces may be released up to a place only when no view (view.h) of it could still span that
 * place. Each transform says for itself how far back from the end something may still change (struct transform,
 * pending); this is the union of what all of them say. A run of token characters may become base64 or a folded word, a
 * quote may be followed by the next part of a string, an escape may be half there. Each answer errs to the safe side:
 * what is called pending may come to nothing, what is not called pending never comes to anything.
 *
 * Regions that rewrite whole lines in place (escapes, folded words) are known as soon as their
 * first change is complete; until then the change itself is pending, and no more. */
#ifndef FILTERD_VIEW_PENDING_H
#define FILTERD_VIEW_PENDING_H

#include "base/span.h"

struct pending {
    size_t from;   /* the first byte that belongs to something pending; text.len when nothing is */
    size_t altered; /* the first byte that may be read as another one, so that what is before it goes on otherwise than
                      the text does; SIZE_MAX when there is none */
};

/* At or behind `first`, before which all is released. The text is valid UTF-8. Looks at bytes before `first` only for the
 * string that began there and closes behind it. */
struct pending pending_find(struct span text, size_t first);

#endif
