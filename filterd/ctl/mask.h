/* mask.h - a match as it may be shown: enough to recognise it, never all of it. */
#ifndef FILTERD_CTL_MASK_H
#define FILTERD_CTL_MASK_H

#include "base/buf.h"

enum { MASK_CLEAR_MIN = 12, MASK_FIRST = 4, MASK_LAST = 2 };

/* Appends the first four and the last two characters of a match of at least twelve, else a star
 * per character. What a terminal would obey or hide (controls, zero-width, bidi) becomes '.'. */
MUST_CHECK bool mask_append(struct buf *out, struct span match, struct error *err);
/* Appends a text whole, with '.' for what a terminal would obey or hide. */
MUST_CHECK bool mask_append_visible(struct buf *out, struct span text, struct error *err);
/* Appends a name that comes from outside, as that of a file: the same characters as \n, \x1b, \u202e, and bytes that are
 * no UTF-8 as \xff. It then stays on its line, and two names that differ look different. */
MUST_CHECK bool mask_append_escaped(struct buf *out, struct span name, struct error *err);
/* The name as a JSON string, with \u in front of the same characters; bytes that are no UTF-8 are U+FFFD, as JSON has no
 * others. */
MUST_CHECK bool mask_append_json_name(struct buf *out, struct span name, struct error *err);

#endif
