/* arrow_node.h - Arrow arrays and their schemas, made column by column, each with the memory that it owns.
 *
 * A node is a column of the result. Its buffers are taken over from growing ones. arrow_node_export gives the whole tree to the
 * consumer, whose release frees it; children may be moved out and released apart, as the C data interface allows. */
#ifndef FILTERD_LIBRARY_ARROW_NODE_H
#define FILTERD_LIBRARY_ARROW_NODE_H

#include "base/buf.h"
#include "library/filterd.h"

struct arrow_node {
    struct ArrowArray array;
    struct ArrowSchema schema;
};

/* Begins a column: `format` and `name` are static. On failure nothing is to be freed. */
MUST_CHECK bool arrow_node_init(struct arrow_node *node, const char *format, const char *name, size_t n_buffers, size_t n_children,
                                struct error *err);
/* Gives it a buffer of bytes, which is empty then. */
void arrow_node_take(struct arrow_node *node, size_t i, struct buf *bytes);
/* Child i becomes a copy of `child`, which is empty then. */
void arrow_node_adopt(struct arrow_node *node, size_t i, struct arrow_node *child);
/* The numbers of the column become numbers of these texts. */
MUST_CHECK bool arrow_node_set_dictionary(struct arrow_node *node, const char *const *texts, size_t n, struct error *err);
/* Frees what it owns; nothing when it is empty. */
void arrow_node_release(struct arrow_node *node);

/* The whole tree is the consumer's. */
void arrow_node_export(struct arrow_node *node, struct ArrowArray *array, struct ArrowSchema *schema);

#endif
