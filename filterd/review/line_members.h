/* line_members.h - members of a line of the record into a struct, by a table; for files of this folder.
 *
 * Pure. What the table does not name is passed over; a text is cut nowhere: one that is too long is none of ours. */
#ifndef FILTERD_REVIEW_LINE_MEMBERS_H
#define FILTERD_REVIEW_LINE_MEMBERS_H

#include <stddef.h>

#include "base/arena.h"

enum line_kind {
    LINE_TEXT,   /* char[size], NUL-terminated; no NUL bytes */
    LINE_NUMBER, /* uint64_t */
    LINE_TIME,   /* int64_t, UTC milliseconds, rounded down */
    LINE_FLAG,   /* bool */
    LINE_OBJECT, /* by `inner`, into the same struct */
};

struct line_member {
    const char *name;
    enum line_kind kind;
    size_t offset, size;
    const struct line_member *inner;
};

/* The table ends with a row without a name; what a line does not have stays as it is. INVALID: it is no JSON object, or a
 * member has another shape. */
MUST_CHECK bool line_members_read(struct span line, const struct line_member *table, struct arena *memory, void *out,
                                  struct error *err);

#endif
