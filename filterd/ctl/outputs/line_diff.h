/* line_diff.h - what is different between two texts, line by line: what both begin and end with is left
 * out, the rest is one piece, old lines before new ones. */
#ifndef FILTERD_CTL_OUTPUTS_LINE_DIFF_H
#define FILTERD_CTL_OUTPUTS_LINE_DIFF_H

#include "base/buf.h"

/* Appends "@@ line N" and the lines with '-' and '+' before them; nothing when the texts are equal. */
MUST_CHECK bool line_diff_append(struct span old_text, struct span new_text, struct buf *out, struct error *err);

#endif
