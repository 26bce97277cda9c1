/* tree.h - a JSON value as a tree of nodes that can be changed and written.
 *
 * The answer's structure is edited (members dropped, texts replaced, events built), so it is parsed
 * into a tree; nodes live in an arena for one event. The last of several members with one name counts, as
 * for nearly every client, and the others are dropped, so that no client reads an unjudged duplicate.
 *
 * A string may contain bytes that are not characters: a lone surrogate as three bytes, a bad
 * byte as itself. Upstreams split characters across events; code that joins texts can mend that. Writing
 * replaces the remaining ones by U+FFFD.
 *
 * Numbers keep their form. White space is dropped. */
#ifndef FILTERD_PROTOCOL_WIRE_TREE_H
#define FILTERD_PROTOCOL_WIRE_TREE_H

#include "base/json.h"

enum { TREE_MEMBERS_MAX = 256, TREE_INDEX_MAX = 1 << 20 };

struct leaf_row;

struct node {
    enum json_kind kind;
    bool is_verbatim; /* text is JSON to be written unchanged, whatever the kind */
    bool is_judged;   /* judged; may be released unchanged */
    bool is_behind;   /* judged behind what left at its place before (protocol/successive.c) */
    bool is_emptied;  /* a text of which nothing was released yet */
    bool is_said;     /* a string as the upstream said it, in which pseudonyms stand for values (protocol/emit.c) */
    bool is_held;     /* a unit that waits (protocol/values.h) */
    bool is_searched, has_text; /* the second is known: whether a text is in it */
    bool is_numbered;  /* the children know their positions */
    uint32_t position; /* under a numbered parent: from 0 */
    struct span name; /* of a member, decoded */
    struct span text; /* string: decoded; number: as written */
    struct node *parent, *first, *last, *next;
    const struct leaf_row *row; /* its row in the table of leaves; only valid under row_root */
    const struct node *row_root;
};

/* NULL with MALFORMED, LIMIT or NO_MEMORY. `json` must outlive the tree. */
struct node *tree_read(struct arena *a, struct span json, struct error *err);
/* Of an object that json_validate_known has accepted with these only the members that are wanted: the rest may be long, and is not read. */
struct node *tree_read_members(struct arena *a, struct span json, struct json_known known, bool (*is_wanted)(struct span name), struct error *err);
/* The same for skeletons, whose text is a literal. */
struct node *tree_literal(struct arena *a, const char *json, struct error *err);
MUST_CHECK bool tree_write(const struct node *root, struct buf *out, struct error *err);
/* The same without one string, whose place in `out` is *at. */
MUST_CHECK bool tree_write_around(const struct node *root, const struct node *string, struct buf *out, size_t *at, struct error *err);

/* The next node in the order of the text, under `root`; NULL at the end. */
struct node *tree_next(const struct node *root, const struct node *n);
/* The same, skipping the children of `n`. */
struct node *tree_skip(const struct node *root, const struct node *n);

/* All of these accept NULL for an absent node. */
struct node *node_member(const struct node *object, const char *name);
/* "choices/0/delta": names and indices. */
struct node *node_at(const struct node *n, const char *path);
/* Of a child among the children of its parent, from 0; kept until one of them is removed. */
size_t node_position(const struct node *child);
bool node_is(const struct node *n, const char *text); /* a string of that text */
bool node_is_string(const struct node *n);
/* A whole number from 0 to TREE_INDEX_MAX. */
bool node_index(const struct node *n, size_t *index);
/* Neither absent nor null, false, 0 or "". */
bool node_is_truthy(const struct node *n);
size_t node_count(const struct node *container);

/* These change a tree and need existing nodes; only node_remove accepts NULL. Check the result of node_member before you
 * change it. */
void node_remove(struct node *n);
void node_set_text(struct node *n, struct span text); /* becomes a string that the upstream did not say; `text` is borrowed */
void node_set_redacted(struct node *n, struct span text); /* what redaction made of what it said */
void node_set_null(struct node *n);
MUST_CHECK bool node_set_index(struct arena *a, struct node *n, size_t index, struct error *err);
void node_append(struct node *container, struct node *child);
/* A new null at the end of the container; `name` is a literal or lives as long as the tree. */
struct node *node_add(struct arena *a, struct node *container, struct span name, struct error *err);
/* A shallow copy: kind and text, no children. */
struct node *node_copy(struct arena *a, struct node *container, const struct node *from,
                       struct error *err);
/* Sets the string member, adding it if it is absent. */
MUST_CHECK bool node_put(struct arena *a, struct node *object, const char *name, struct span text,
                         struct error *err);

#endif
