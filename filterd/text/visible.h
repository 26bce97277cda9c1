/* visible.h - whether a name looks like what it is.
 *
 * Two names that differ only in invisible characters would be two agents to filterd and one to a person who reads of them. So a name
 * has no control characters, none that are invisible or turn the direction of writing, no space but U+0020, that not
 * at its ends, and no byte that is not UTF-8. What looks alike (two letters of two scripts, capitals) stays two names. */
#ifndef FILTERD_TEXT_VISIBLE_H
#define FILTERD_TEXT_VISIBLE_H

#include "base/span.h"

/* True for an empty one. */
bool text_is_visible(struct span name);

#endif
