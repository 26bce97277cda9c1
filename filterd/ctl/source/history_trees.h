/* history_trees.h - what the commits of a list changed, out of the packs of their repository (tree_changes.h). */
#ifndef FILTERD_CTL_SOURCE_HISTORY_TREES_H
#define FILTERD_CTL_SOURCE_HISTORY_TREES_H

#include <stdatomic.h>

#include "base/buf.h"

/* What git's log is to print of a commit: each item ends with a NUL. */
#define HISTORY_TREES_FORMAT "%H%x00%T%x00%P%x00%at%x00%an%x00%ae"

/* `list` is of that format; each parent is one of its commits. Appends what history_parse reads, in the order of the list. `folder`: as of
 * packs_open. Fails where a tree is in no pack, a parent is not in the list, or a limit is reached; then git knows more. It
 * fails, too, between two commits once *is_stopping is true. */
MUST_CHECK bool history_trees_append(struct span list, const char *folder, const atomic_bool *is_stopping, struct buf *out,
                                     struct error *err);

#endif
