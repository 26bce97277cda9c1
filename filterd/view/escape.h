/* escape.h - single escapes: a character written as several. */
#ifndef FILTERD_VIEW_ESCAPE_H
#define FILTERD_VIEW_ESCAPE_H

#include <stdint.h>

#include "base/span.h"

struct escape {
    uint32_t code_point; /* that a text may hold: see escape_is_text; of \u a control character, too */
    size_t len;          /* of the escape, at most ESCAPE_MAX */
};

enum { ESCAPE_MAX = 16 }; /* \xf0\x9f\x98\x80, a character in four bytes */

/* Each reads the escape that starts at `at`, at its first character: % & or \. False when
 * there is no escape, or one of no text. */
bool escape_percent(struct span text, size_t at, struct escape *out);
bool escape_html(struct span text, size_t at, struct escape *out);
bool escape_backslash(struct span text, size_t at, struct escape *out);

/* Up to `max_digits` hex digits at *at, at least `min_digits`; *at moves behind them. */
bool escape_hex_number(struct span text, size_t *at, unsigned min_digits, unsigned max_digits,
                       uint32_t *number);
/* No control character but white space, no surrogate, nothing above U+10FFFF. */
bool escape_is_text(uint32_t code_point);

#endif
