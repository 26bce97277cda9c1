/* path.h - the way to a channel in its exchange: RFC 6901's JSON pointer, but that a member name of digits alone begins
 * with ~2, as it is no index.
 *
 * Where a model chose the names a path is content. It leaves in a record or an answer as a shown_path alone
 * (decision_log/shown_path.h). */
#ifndef FILTERD_JUDGE_PATH_H
#define FILTERD_JUDGE_PATH_H

#include "base/buf.h"

enum {
    PATH_NAME_EXTRA = 3, /* a name takes at most twice its bytes, and these */
    PATH_INDEX_MAX = 21, /* bytes of an index */
};

/* Writes one step at `to`, which has room for it; how many bytes it took. */
size_t path_write_name(char *to, struct span name);
size_t path_write_index(char *to, size_t index);
MUST_CHECK bool path_append_name(struct buf *path, struct span name, struct error *err);
MUST_CHECK bool path_append_index(struct buf *path, size_t index, struct error *err);

struct path_step {
    struct span text; /* escaped, as in a JSON pointer */
    bool is_index;
};
/* Takes the first step off `rest`; false at the end. A path that has no slash in front is a name. */
bool path_next(struct span *rest, struct path_step *step);

/* The same as a JSON pointer. */
MUST_CHECK bool path_append_pointer(struct buf *out, struct span path, struct error *err);
bool path_is_pointer(struct span path, struct span pointer);

#endif
