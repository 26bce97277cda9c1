/* line_members.h - reads members of a line of the record into a struct, by a table; internal to this folder.
 *
 * Pure. Members that the table does not name are ignored. Texts are never truncated: a text that is too long is an error. */
#ifndef FILTERD_REVIEW_LINE_MEMBERS_H
#define FILTERD_REVIEW_LINE_MEMBERS_H

#include <stddef.h>

#include "base/arena.h"

enum line_kind {
    LINE_TEXT,   /* char[size], NUL-terminated; no NUL bytes */
    LINE_NUMBER, /* uint64_t */
    LINE_TIME,   /* int64_t, UTC milliseconds, rounded down */
    LINE_FLAG,   /* bool */
    LINE_OBJECT, /* read by the table `inner` into the same struct */
};

struct line_member {
    const char *name;
    enum line_kind kind;
    size_t offset, size;
    const struct line_member *inner;
};

/* The table ends with a row without a name; absent members leave `out` unchanged. INVALID: not a JSON object, or a member of
 * the wrong type. */
MUST_CHECK bool line_members_read(struct span line, const struct line_member *table, struct arena *memory, void *out,
                                  struct error *err);

#endif
