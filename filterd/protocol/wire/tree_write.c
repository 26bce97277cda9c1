/* tree_write.c - a tree walked in the order of its text, and written as JSON. */
#include "protocol/wire/tree.h"

struct node *tree_skip(const struct node *root, const struct node *n)
{
    while (n != root && n->next == NULL) {
        n = n->parent;
        if (n == NULL) {
            return NULL;
        }
    }
    return n == root ? NULL : n->next;
}

struct node *tree_next(const struct node *root, const struct node *n)
{
    return n->first != NULL ? n->first : tree_skip(root, n);
}

static bool is_container(const struct node *n)
{
    return !n->is_verbatim && (n->kind == JSON_KIND_OBJECT || n->kind == JSON_KIND_ARRAY);
}

static bool write_scalar(const struct node *n, struct buf *out, struct error *err)
{
    static const char *const words[] = {
        [JSON_KIND_NULL] = "null", [JSON_KIND_FALSE] = "false", [JSON_KIND_TRUE] = "true"};

    if (n->is_verbatim || n->kind == JSON_KIND_NUMBER) {
        return buf_append(out, n->text, err);
    }
    if (n->kind == JSON_KIND_STRING) {
        return json_append_string(out, n->text, err);
    }
    return buf_append_str(out, words[n->kind], err);
}

/* What is before a value: a comma, a name. */
static bool write_head(const struct node *root, const struct node *n, struct buf *out,
                       struct error *err)
{
    if (n == root || n->parent == NULL) {
        return true;
    }
    if (n->parent->first != n && !buf_append_char(out, ',', err)) {
        return false;
    }
    if (n->parent->kind != JSON_KIND_OBJECT) {
        return true;
    }
    return json_append_string(out, n->name, err) && buf_append_char(out, ':', err);
}

/* What is before the first child, or for none. */
static bool write_beginning(const struct node *n, struct buf *out, struct error *err)
{
    if (n->first == NULL) {
        return buf_append_str(out, n->kind == JSON_KIND_OBJECT ? "{}" : "[]", err);
    }
    return buf_append_char(out, n->kind == JSON_KIND_OBJECT ? '{' : '[', err);
}

/* The node after `n`, which has no children: closes the containers that end in between. */
static bool write_ends(const struct node *root, const struct node **n, struct buf *out,
                       struct error *err)
{
    while (*n != root && (*n)->next == NULL) {
        *n = (*n)->parent;
        if (!buf_append_char(out, (*n)->kind == JSON_KIND_OBJECT ? '}' : ']', err)) {
            return false;
        }
    }
    *n = *n == root ? NULL : (*n)->next;
    return true;
}

bool tree_write_around(const struct node *root, const struct node *string, struct buf *out, size_t *at, struct error *err)
{
    size_t before = out->len;
    bool is_written = true;

    for (const struct node *n = root; n != NULL && is_written;) {
        is_written = write_head(root, n, out, err);
        if (n == string) {
            *at = out->len;
        } else {
            is_written = is_written && (is_container(n) ? write_beginning(n, out, err) : write_scalar(n, out, err));
        }
        if (is_container(n) && n->first != NULL) {
            n = n->first;
        } else {
            is_written = is_written && write_ends(root, &n, out, err);
        }
    }
    out->len = is_written ? out->len : before;
    return is_written;
}

bool tree_write(const struct node *root, struct buf *out, struct error *err)
{
    return tree_write_around(root, NULL, out, NULL, err);
}
