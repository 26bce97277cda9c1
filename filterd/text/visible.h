/* visible.h - checks that all characters of a name are visible.
 *
 * Two names that differ only in invisible characters would be two agents for filterd and one for a person. A name therefore
 * has no control, invisible or bidirectional characters, no space other than U+0020, none at its
 * ends, and no invalid UTF-8. Look-alikes (letters of two scripts, capitals) remain different names. */
#ifndef FILTERD_TEXT_VISIBLE_H
#define FILTERD_TEXT_VISIBLE_H

#include "base/span.h"

/* True for an empty name. */
bool text_is_visible(struct span name);

#endif
