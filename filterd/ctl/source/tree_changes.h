/* tree_changes.h - what a commit changed, from its tree and those of its parents: what `git log --raw -r -z -c --no-renames` prints of it.
 *
 * Trees are objects of git (gitformat-pack(5), git-ls-tree(1)) and may be hostile: entries that are not in git's order, or occur twice,
 * may be said to be changed though they are not, never the other way round. Not thread-safe. */
#ifndef FILTERD_CTL_SOURCE_TREE_CHANGES_H
#define FILTERD_CTL_SOURCE_TREE_CHANGES_H

#include "ctl/source/packs.h"

enum { TREE_PARENTS_MAX = 16, TREE_DEPTH_MAX = 64, TREE_PATH_MAX = 16 * 1024, TREE_BYTES_MAX = 64 * 1024 * 1024, TREES_MAX = 1 << 26 };

struct tree_changes {
    struct packs packs; /* opened for trees */
    struct buf path;    /* of the tree that is looked at, with a slash at its end */
    size_t n_trees;     /* looked at; at most TREES_MAX, as a few can be nested very often */
};

/* As packs_open. */
MUST_CHECK bool tree_changes_open(struct tree_changes *t, const char *folder, size_t id_bytes, struct error *err);
void tree_changes_close(struct tree_changes *t); /* of a zeroed one, too */
/* Appends the entries of what is in `tree` and in none of the `parents` as it is there; ids are hexadecimal. At most TREE_PARENTS_MAX
 * parents; none: the tree is that of a first commit. Fails where a tree is in no pack or not intact, or a limit is reached. */
MUST_CHECK bool tree_changes_append(struct tree_changes *t, struct span tree, const struct span *parents, size_t n, struct buf *out,
                                    struct error *err);

#endif
