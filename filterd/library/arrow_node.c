#include "library/arrow_node.h"

#include <assert.h>

/* What a node of an array or of a schema owns, besides its children: in one allocation with the lists. */
struct array_memory {
    const void *buffers[3];
    struct ArrowArray *children[16];
    struct ArrowArray dictionary;
};

struct schema_memory {
    struct ArrowSchema *children[16];
    struct ArrowSchema dictionary;
};

enum { BUFFERS_MAX = 3, CHILDREN_MAX = 16 };
enum { OFFSETS = 1, DATA = 2 };

static void release_array(struct ArrowArray *a)
{
    struct array_memory *m = a->private_data;

    for (int64_t i = 0; i < a->n_children; i++) {
        struct ArrowArray *child = a->children[i];
        if (child != NULL && child->release != NULL) {
            child->release(child);
        }
        free(child);
    }
    if (a->dictionary != NULL && a->dictionary->release != NULL) {
        a->dictionary->release(a->dictionary);
    }
    for (size_t i = 0; i < BUFFERS_MAX; i++) {
        free((void *)(uintptr_t)m->buffers[i]);
    }
    free(m);
    a->release = NULL;
}

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++) {
        struct ArrowSchema *child = s->children[i];
        if (child != NULL && child->release != NULL) {
            child->release(child);
        }
        free(child);
    }
    if (s->dictionary != NULL && s->dictionary->release != NULL) {
        s->dictionary->release(s->dictionary);
    }
    free(s->private_data);
    s->release = NULL;
}

static bool add_children(struct arrow_node *node, size_t n, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        node->array.children[i] = calloc(1, sizeof(struct ArrowArray));
        node->schema.children[i] = calloc(1, sizeof(struct ArrowSchema));
        if (node->array.children[i] == NULL || node->schema.children[i] == NULL) {
            arrow_node_release(node);
            return error_set(err, ERROR_NO_MEMORY, "no memory for the result");
        }
    }
    return true;
}

bool arrow_node_init(struct arrow_node *node, const char *format, const char *name, size_t n_buffers, size_t n_children, struct error *err)
{
    struct array_memory *array = calloc(1, sizeof(*array));
    struct schema_memory *schema = calloc(1, sizeof(*schema));

    assert(n_buffers <= BUFFERS_MAX && n_children <= CHILDREN_MAX);
    *node = (struct arrow_node){0};
    if (array == NULL || schema == NULL) {
        free(array);
        free(schema);
        return error_set(err, ERROR_NO_MEMORY, "no memory for the result");
    }
    node->array = (struct ArrowArray){.n_buffers = (int64_t)n_buffers,
                                      .n_children = (int64_t)n_children,
                                      .buffers = array->buffers,
                                      .children = array->children,
                                      .release = release_array,
                                      .private_data = array};
    node->schema = (struct ArrowSchema){.format = format,
                                        .name = name,
                                        .flags = ARROW_FLAG_NULLABLE,
                                        .n_children = (int64_t)n_children,
                                        .children = schema->children,
                                        .release = release_schema,
                                        .private_data = schema};
    return add_children(node, n_children, err);
}

void arrow_node_take(struct arrow_node *node, size_t i, struct buf *bytes)
{
    assert((int64_t)i < node->array.n_buffers && !bytes->is_locked);
    node->array.buffers[i] = bytes->data;
    buf_init(bytes, bytes->max);
}

void arrow_node_adopt(struct arrow_node *node, size_t i, struct arrow_node *child)
{
    *node->array.children[i] = child->array;
    *node->schema.children[i] = child->schema;
    *child = (struct arrow_node){0};
}

static bool append_texts(const char *const *texts, size_t n, struct buf *offsets, struct buf *bytes, struct error *err)
{
    for (size_t i = 0; i <= n; i++) {
        int32_t offset = (int32_t)bytes->len;
        if (!buf_append(offsets, span_of((const char *)&offset, sizeof(offset)), err) ||
            (i < n && !buf_append_str(bytes, texts[i], err))) {
            return false;
        }
    }
    return true;
}

bool arrow_node_set_dictionary(struct arrow_node *node, const char *const *texts, size_t n, struct error *err)
{
    struct arrow_node dictionary;
    struct buf offsets, bytes;

    buf_init(&offsets, INT32_MAX);
    buf_init(&bytes, INT32_MAX);
    if (!append_texts(texts, n, &offsets, &bytes, err) || !arrow_node_init(&dictionary, "u", "", DATA + 1, 0, err)) {
        buf_deinit(&offsets);
        buf_deinit(&bytes);
        return false;
    }
    dictionary.array.length = (int64_t)n;
    arrow_node_take(&dictionary, OFFSETS, &offsets);
    arrow_node_take(&dictionary, DATA, &bytes);
    struct array_memory *array = node->array.private_data;
    struct schema_memory *schema = node->schema.private_data;
    array->dictionary = dictionary.array;
    schema->dictionary = dictionary.schema;
    node->array.dictionary = &array->dictionary;
    node->schema.dictionary = &schema->dictionary;
    return true;
}

void arrow_node_release(struct arrow_node *node)
{
    if (node->array.release != NULL) {
        node->array.release(&node->array);
    }
    if (node->schema.release != NULL) {
        node->schema.release(&node->schema);
    }
}

void arrow_node_export(struct arrow_node *node, struct ArrowArray *array, struct ArrowSchema *schema)
{
    *array = node->array;
    *schema = node->schema;
    *node = (struct arrow_node){0};
}
