/* tree.h - one JSON value as nodes that can be changed, and written again.
 *
 * The answer's structure is edited (members dropped, texts replaced, events built), so it is read
 * into a tree; nodes live in an arena, one event long. Of members of one name the last counts, as
 * for nearly every client, and the others are dropped: an unjudged duplicate must not be read.
 *
 * A string may hold bytes that belong to no character: a lone surrogate as its three bytes, a bad
 * byte as itself. Upstreams cut characters over events; code that joins texts can mend that. Writing
 * makes U+FFFD of what is left.
 *
 * Numbers keep their form. White space is not kept. */
#ifndef FILTERD_PROTOCOL_TREE_H
#define FILTERD_PROTOCOL_TREE_H

#include "base/json.h"

enum { TREE_MEMBERS_MAX = 256, TREE_INDEX_MAX = 1 << 20 };

struct leaf_row;

struct node {
    enum json_kind kind;
    bool is_verbatim; /* text is JSON to be written as it is, whatever kind says */
    bool is_judged;   /* what is here was judged and may leave as it is */
    bool is_emptied;  /* a text of which nothing was released yet */
    struct span name; /* of a member, decoded */
    struct span text; /* string: decoded; number: as written */
    struct node *parent, *first, *last, *next;
    const struct leaf_row *row; /* what the table of leaves says here, known under row_root only */
    const struct node *row_root;
};

/* NULL with MALFORMED, LIMIT or NO_MEMORY. `json` must outlive the tree. */
struct node *tree_read(struct arena *a, struct span json, struct error *err);
/* The same for our own skeletons, whose text is a literal. */
struct node *tree_literal(struct arena *a, const char *json, struct error *err);
MUST_CHECK bool tree_write(const struct node *root, struct buf *out, struct error *err);

/* The next node in the order of the text, under `root`; NULL at the end. */
struct node *tree_next(const struct node *root, const struct node *n);
/* Likewise, but not into `n`. */
struct node *tree_skip(const struct node *root, const struct node *n);

/* All of these take NULL for "not there". */
struct node *node_member(const struct node *object, const char *name);
/* "choices/0/delta": names and indices. */
struct node *node_at(const struct node *n, const char *path);
bool node_is(const struct node *n, const char *text); /* a string of that text */
bool node_is_string(const struct node *n);
/* A whole number from 0 to TREE_INDEX_MAX. */
bool node_index(const struct node *n, size_t *index);
/* Neither absent nor null, false, 0 or "". */
bool node_is_truthy(const struct node *n);
size_t node_count(const struct node *container);

/* These change a tree, and take nodes that are there; node_remove takes NULL, too. A node_member that may be missing is
 * looked at before it is written through. */
void node_remove(struct node *n);
void node_set_text(struct node *n, struct span text); /* becomes a string; `text` is borrowed */
void node_set_null(struct node *n);
MUST_CHECK bool node_set_index(struct arena *a, struct node *n, size_t index, struct error *err);
void node_append(struct node *container, struct node *child);
/* A new null at the end of the container; `name` is a literal or lives as long as the tree. */
struct node *node_add(struct arena *a, struct node *container, struct span name, struct error *err);
/* A shallow copy: kind and text, no children. */
struct node *node_copy(struct arena *a, struct node *container, const struct node *from,
                       struct error *err);
/* Sets the string member, adding it when it is not there. */
MUST_CHECK bool node_put(struct arena *a, struct node *object, const char *name, struct span text,
                         struct error *err);

#endif
