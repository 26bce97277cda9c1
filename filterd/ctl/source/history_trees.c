#include "ctl/source/history_trees.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "ctl/source/tree_changes.h"

struct listed {
    struct span id, tree, parents; /* hexadecimal; parents with a space between */
    struct span rest;              /* the other items, with their NULs */
    size_t from, to;               /* what is printed of it */
};

struct listing {
    struct listed *items;
    size_t n, max;
    const struct listed **by_id;
};

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "git: a list of commits with their trees expected");
}

static void listing_deinit(struct listing *l)
{
    free(l->items);
    free(l->by_id);
}

/* --- the list ------------------------------------------------------------------- */

static bool take_item(struct span *list, struct span *item)
{
    const char *end = list->len > 0 ? memchr(list->ptr, '\0', list->len) : NULL;
    size_t len = end != NULL ? (size_t)(end - list->ptr) : 0;

    *item = span_of(list->ptr, len);
    *list = span_slice(*list, end != NULL ? len + 1 : 0, list->len);
    return end != NULL;
}

static bool take_commit(struct span *list, struct listed *c)
{
    enum { OTHERS = 3 };
    struct span item;

    if (!take_item(list, &c->id) || !take_item(list, &c->tree) || !take_item(list, &c->parents)) {
        return false;
    }
    const char *from = list->ptr;
    for (size_t i = 0; i < OTHERS; i++) {
        if (!take_item(list, &item)) {
            return false;
        }
    }
    c->rest = span_of(from, (size_t)(list->ptr - from));
    return c->id.len > 0 && c->id.len == c->tree.len;
}

static int compare_ids(struct span a, struct span b)
{
    return a.len != b.len ? (a.len > b.len) - (a.len < b.len) : memcmp(a.ptr, b.ptr, a.len);
}

static int by_id(const void *a, const void *b)
{
    const struct listed *const *x = a, *const *y = b;

    return compare_ids((*x)->id, (*y)->id);
}

static int has_id(const void *id, const void *item)
{
    const struct span *key = id;
    const struct listed *const *c = item;

    return compare_ids(*key, (*c)->id);
}

static bool read_list(struct listing *l, struct span list, struct error *err)
{
    while (list.len > 0) {
        if (l->n == l->max) {
            size_t max = l->max == 0 ? 1024 : l->max * 2;
            struct listed *items = reallocarray(l->items, max, sizeof(*items));
            if (items == NULL) {
                return error_set(err, ERROR_NO_MEMORY, "history: no memory");
            }
            l->items = items;
            l->max = max;
        }
        if (!take_commit(&list, &l->items[l->n++])) {
            return malformed(err);
        }
    }
    l->by_id = calloc(l->n + 1, sizeof(*l->by_id));
    if (l->by_id == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "history: no memory");
    }
    for (size_t i = 0; i < l->n; i++) {
        l->by_id[i] = &l->items[i];
    }
    qsort(l->by_id, l->n, sizeof(*l->by_id), by_id);
    return true;
}

/* --- changes --------------------------------------------------------------------- */

static bool find_parents(const struct listing *l, const struct listed *c, struct span trees[TREE_PARENTS_MAX], size_t *n, struct error *err)
{
    struct span rest = c->parents;

    for (*n = 0; rest.len > 0; (*n)++) {
        const char *space = memchr(rest.ptr, ' ', rest.len);
        size_t len = space != NULL ? (size_t)(space - rest.ptr) : rest.len;
        struct span id = span_of(rest.ptr, len);
        const struct listed *const *parent = bsearch(&id, l->by_id, l->n, sizeof(*l->by_id), has_id);
        if (parent == NULL || *n == TREE_PARENTS_MAX) {
            return error_set(err, ERROR_NOT_FOUND, "commit: at most %d parents that are listed expected", TREE_PARENTS_MAX);
        }
        trees[*n] = (*parent)->tree;
        rest = span_slice(rest, space != NULL ? len + 1 : len, rest.len);
    }
    return true;
}

static bool append_commit(const struct listing *l, const struct listed *c, struct tree_changes *t, struct buf *out, struct error *err)
{
    struct span trees[TREE_PARENTS_MAX];
    size_t n;

    return find_parents(l, c, trees, &n, err) && buf_append(out, c->id, err) && buf_append_char(out, '\0', err) &&
           buf_append(out, c->rest, err) && tree_changes_append(t, c->tree, trees, n, out, err);
}

/* From the last to the first: git makes older trees deltas of newer ones, which are at hand then. */
static bool append_backwards(struct listing *l, struct tree_changes *t, const atomic_bool *is_stopping, struct buf *out, struct error *err)
{
    for (size_t i = l->n; i > 0; i--) {
        struct listed *c = &l->items[i - 1];
        c->from = out->len;
        if (atomic_load(is_stopping)) {
            return error_set(err, ERROR_SYSTEM, "history: stopped");
        }
        if (!append_commit(l, c, t, out, err)) {
            return false;
        }
        c->to = out->len;
    }
    return true;
}

bool history_trees_append(struct span list, const char *folder, const atomic_bool *is_stopping, struct buf *out, struct error *err)
{
    struct listing l CLEANUP(listing_deinit) = {0};
    struct tree_changes t CLEANUP(tree_changes_close) = {0};
    struct buf backwards CLEANUP(buf_deinit);

    buf_init(&backwards, out->max);
    if (!read_list(&l, list, err) || (l.n > 0 && !tree_changes_open(&t, folder, l.items[0].id.len / 2, err)) ||
        !append_backwards(&l, &t, is_stopping, &backwards, err) || !buf_reserve(out, backwards.len, err)) {
        return false;
    }
    for (size_t i = 0; i < l.n; i++) {
        if (!buf_append(out, span_slice(buf_span(&backwards), l.items[i].from, l.items[i].to), err)) {
            return false;
        }
    }
    return true;
}
