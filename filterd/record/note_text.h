/* note_text.h - the characters allowed in a note and in its names. Any thread. */
#ifndef FILTERD_RECORD_NOTE_TEXT_H
#define FILTERD_RECORD_NOTE_TEXT_H

#include <stdint.h>

#include "base/span.h"

/* Valid UTF-8 without control characters other than the newline. */
bool note_text_is_valid(struct span text);
/* Likewise, of 1 to NOTE_NAME_MAX bytes, without newlines, Unicode spaces and plus signs. */
bool note_name_is_valid(struct span name);
/* The line at the front, without its newline, which is taken off *rest too; false when there is no whole line. */
bool note_take_line(struct span *rest, struct span *line);
/* Decimal digits without leading zeros, up to UINT64_MAX, and nothing else. */
bool note_read_number(struct span text, uint64_t *out);

#endif
