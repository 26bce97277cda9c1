/* line_scan.h - walks the members of a line of the log without validating the line first.
 *
 * Validating a line takes longer than all else that the index does with it. In valid JSON the scan finds the names and values that
 * json_iterate finds. In any other text it stays within the bounds and fails where the structure ends; a value that it returned before is
 * not checked inside. So strings are read by line_scan_text, which checks what it has to decode, and containers by another scan.
 * Pure. */
#ifndef FILTERD_INDEX_LINE_SCAN_H
#define FILTERD_INDEX_LINE_SCAN_H

#include "base/json.h"

struct line_scan {
    const char *at, *end; /* the end is behind the closing bracket */
    char close;           /* '\0': not a container, without members */
    bool has_begun, has_failed;
};

/* Of the members of an object or the elements of an array; of any other value there are none. */
struct line_scan line_scan_begin(struct span container);
/* False: there are no more, or has_failed. Names are undecoded, without quotes; empty in arrays. */
bool line_scan_next(struct line_scan *s, struct span *name, struct json_value *value);

/* The decoded string, borrowed from the line if it has no escapes and is ASCII, otherwise checked and in the arena. ptr NULL: the value
 * is not a string, or not a valid one. False: no memory. */
MUST_CHECK bool line_scan_text(struct arena *memory, struct json_value value, struct span *out, struct error *err);

#endif
