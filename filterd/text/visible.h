/* visible.h - checks that all characters of a name are visible.
 *
 * Two names that differ only in invisible characters would be two agents for filterd and one for a person. A name therefore
 * has no control, invisible or bidirectional characters, no space other than U+0020, none at its
 * ends, and no invalid UTF-8. Look-alikes (letters of two scripts, capitals) remain different names. */
#ifndef FILTERD_TEXT_VISIBLE_H
#define FILTERD_TEXT_VISIBLE_H

#include <stdint.h>

#include "base/span.h"

/* True for an empty name. */
bool text_is_visible(struct span name);

/* What one character is in a name. Marks combine with the character before them; a name may have any number. */
enum text_visibility { TEXT_INVISIBLE, TEXT_VISIBLE, TEXT_MARK };
enum text_visibility text_visibility(uint32_t code_point);

#endif
