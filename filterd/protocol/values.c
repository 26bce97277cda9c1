#include "protocol/dialect.h"
#include "protocol/values_parts.h"

#include <stdlib.h>

#include "base/cleanup.h"

enum {
    LOOK_BACK = 4,     /* lines among which one that is said again is looked for */
    REPEATED_MIN = 32, /* bytes of text; a shorter one may be two pieces that are the same */
};

void values_free(struct translation *t)
{
    for (size_t i = 0; t->up.said != NULL && i < SAID_SLOTS; i++) {
        for (struct said *s = t->up.said[i]; s != NULL;) {
            struct said *next = s->next;
            free(s);
            s = next;
        }
    }
    free(t->up.said);
    free(t->up.value_parts);
    buf_deinit(&t->up.values);
}

/* --- the parts of what waits -------------------------------------------------------- */

bool values_wait(const struct translation *t, size_t part)
{
    size_t i = 0;

    while (i < t->up.n_value_parts && t->up.value_parts[i] != part) {
        i++;
    }
    return i < t->up.n_value_parts;
}

void values_forget(struct translation *t, size_t part)
{
    size_t n = 0;

    for (size_t i = 0; i < t->up.n_value_parts && part != SIZE_MAX; i++) {
        if (t->up.value_parts[i] != part) {
            t->up.value_parts[n++] = t->up.value_parts[i];
        }
    }
    t->up.n_value_parts = n;
}

static bool remember_part(struct translation *t, size_t part, struct error *err)
{
    if (values_wait(t, part)) {
        return true;
    }
    if (t->up.n_value_parts == PARTS_MAX) {
        return error_set(err, ERROR_LIMIT, "answer: unknown values of more than %d parts wait", PARTS_MAX);
    }
    size_t *parts = list_room(t->up.value_parts, t->up.n_value_parts, sizeof(size_t));
    if (parts == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "answer: no memory for a part");
    }
    t->up.value_parts = parts;
    parts[t->up.n_value_parts++] = part;
    return true;
}

/* --- units ----------------------------------------------------------------------- */

/* Each of many values asks it of the same containers. */
static bool has_text(const struct dialect *d, const struct node *root, struct node *in)
{
    for (const struct node *n = in; n != NULL && !in->is_searched && !in->has_text; n = tree_next(in, n)) {
        const struct leaf_row *row = n->kind == JSON_KIND_STRING && n != root ? leaf_find(d, root, n) : NULL;
        in->has_text = row != NULL && row->use == LEAF_TEXT;
    }
    in->is_searched = true;
    return in->has_text;
}

static bool is_frame(const struct dialect *d, const struct node *root, const struct node *n)
{
    for (const char *const *path = d->frames; path != NULL && *path != NULL; path++) {
        if (leaf_is_at(root, n, *path)) {
            return true;
        }
    }
    return n == root && !d->has_event_names;
}

struct node *value_unit(const struct dialect *d, const struct node *root, struct node *value)
{
    struct node *unit = value;

    while (unit != root && !is_frame(d, root, unit->parent) && !has_text(d, root, unit->parent)) {
        unit = unit->parent;
    }
    return unit;
}

bool unit_hold(struct translation *t, struct node *root, struct node *node, size_t part, struct error *err)
{
    struct unit *u = node->is_held ? NULL : arena_alloc(&t->memory, sizeof(*u), err);

    if (u == NULL) {
        return node->is_held;
    }
    *u = (struct unit){.root = root, .node = node, .part = part};
    *(t->up.units == NULL ? &t->up.units : &t->up.last_unit->next) = u;
    t->up.last_unit = u;
    node->is_held = true;
    return true;
}

size_t values_line_part(struct span line)
{
    return (size_t)strtoull(line.ptr, NULL, 10);
}

struct span values_line(struct span *lines)
{
    const char *end = memchr(lines->ptr, '\n', lines->len);
    size_t n = (size_t)(end - lines->ptr);
    struct span line = span_slice(*lines, 0, n);

    *lines = span_slice(*lines, n + 1, lines->len);
    return line;
}

bool values_keep_order(struct translation *t, struct node *root, struct error *err)
{
    if (t->up.values.len == 0 || !t->dialect->has_event_names || has_text(t->dialect, root, root)) {
        return true;
    }
    size_t part = value_part(t, root, root);
    return !values_wait(t, part) || unit_hold(t, root, root, part, err);
}

/* --- what waits ------------------------------------------------------------------ */

static bool has_member(const struct node *object, struct span name)
{
    const struct node *at = object->first;

    while (at != NULL && !span_equal(at->name, name)) {
        at = at->next;
    }
    return at != NULL;
}

/* Texts that are beside the way are there, and empty: clients join what they find. */
static bool add_empty_texts(struct translation *t, const struct node *root, const struct node *from, struct node *to,
                            struct error *err)
{
    for (const struct node *at = from->first; at != NULL; at = at->next) {
        const struct leaf_row *row = at->kind == JSON_KIND_STRING ? leaf_find(t->dialect, root, at) : NULL;
        if (row == NULL || row->use != LEAF_TEXT || has_member(to, at->name)) {
            continue;
        }
        struct node *copy = node_copy(&t->memory, to, at, err);
        if (copy == NULL) {
            return false;
        }
        node_set_text(copy, span_of("", 0));
    }
    return true;
}

static bool add_required(struct translation *t, struct node *top, struct error *err)
{
    if (t->dialect->required == NULL) {
        return true;
    }
    const struct node *required = tree_literal(&t->memory, t->dialect->required, err);
    for (struct node *at = required == NULL ? NULL : required->first; at != NULL;) {
        struct node *next = at->next;
        if (!has_member(top, at->name)) {
            node_append(top, at);
        }
        at = next;
    }
    return required != NULL;
}

/* The message around a unit is its skeleton, with the members of the unit, which are taken from there. */
static bool fill_message(struct translation *t, const struct unit *u, struct node *top, struct error *err)
{
    const struct node *way[JSON_DEPTH_MAX + 2];
    struct node *root = u->root, *unit = u->node, *copy = top;
    size_t depth = 0;

    for (const struct node *at = unit->parent; depth < COUNT(way); at = at->parent) {
        way[depth++] = at;
        if (at == root) {
            break;
        }
    }
    while (depth-- > 0) { /* in a skeleton the way goes on in the last member */
        struct node *next = copy->last;
        if (!add_empty_texts(t, root, way[depth], copy, err)) {
            return false;
        }
        copy = next;
    }
    copy->text = unit->text;
    copy->first = copy->last = NULL;
    for (struct node *at = unit->first; at != NULL;) {
        struct node *next = at->next;
        node_append(copy, at);
        at = next;
    }
    return add_required(t, top, err);
}

static size_t text_bytes(const struct dialect *d, const struct node *root, const struct node *unit)
{
    size_t n = 0;

    for (const struct node *at = unit; at != NULL; at = tree_next(unit, at)) {
        n += value_is(d, root, at) ? at->text.len : 0;
    }
    return n;
}

/* Some upstreams say the same in every message. The line at `from` goes when it is there already. */
static void drop_repeated(struct translation *t, size_t from)
{
    struct span line = span_slice(buf_span(&t->up.values), from, t->up.values.len);
    size_t end = from;

    for (int i = 0; i < LOOK_BACK && end > 0; i++) {
        const char *newline = end == 1 ? NULL : memrchr(t->up.values.data, '\n', end - 1);
        size_t begin = newline == NULL ? 0 : (size_t)(newline - t->up.values.data) + 1;
        if (span_equal(span_slice(buf_span(&t->up.values), begin, end), line)) {
            t->up.values.len = from;
            return;
        }
        end = begin;
    }
}

static bool is_beside_list(const struct dialect *d, const struct unit *u)
{
    return d->list != NULL && !span_is(value_top(u->root, u->node)->name, d->list);
}

static bool keep_line(struct translation *t, size_t part, const struct node *message, struct error *err)
{
    size_t from = t->up.values.len;
    bool is_kept = remember_part(t, part, err) && buf_appendf(&t->up.values, err, "%zu ", part) && tree_write(message, &t->up.values, err) &&
                   buf_append_char(&t->up.values, '\n', err);

    t->up.values.len = is_kept ? t->up.values.len : from;
    return is_kept;
}

/* A dialect may have removed it, or what it was in, after it was judged. */
static bool is_below(const struct node *root, const struct node *n)
{
    while (n != NULL && n != root) {
        n = n->parent;
    }
    return n != NULL;
}

bool values_detach(struct translation *t, struct node *root, bool *is_gone, struct error *err)
{
    *is_gone = false;
    for (struct unit *u = t->up.units; u != NULL; u = u->next) {
        bool was_settled = u->is_settled;
        if (u->root != root) {
            continue;
        }
        u->is_settled = true;
        if (was_settled || !is_below(root, u->node)) {
            continue;
        }
        size_t from = t->up.values.len;
        /* Before its members are taken. */
        bool is_repeatable =
            is_beside_list(t->dialect, u) || text_bytes(t->dialect, root, u->node) >= REPEATED_MIN;
        struct node *message = u->node == root ? root : skeleton_of(t, root, u->node, err);
        if (message == NULL || (message != root && !fill_message(t, u, message, err)) ||
            !keep_line(t, u->part, message, err)) {
            return false;
        }
        if (is_repeatable) {
            drop_repeated(t, from);
        }
        *is_gone = *is_gone || u->node == root;
        node_remove(u->node);
    }
    return true;
}
