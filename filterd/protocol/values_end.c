#include "protocol/dialect.h"
#include "protocol/values_parts.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/locked_pages.h"
#include "pipeline/array_parts.h"

enum { CHANNEL_PATH_MAX = 512 };

struct value {
    struct node *root, *node;
    size_t part;
    struct span path;
    uint64_t hash; /* of the path */
    struct value *const *same; /* of the first one at a place: all there, in their order */
    size_t n_same;             /* 0: it is not the first */
};

struct waited {
    struct node *root;
    size_t part;
};

struct ending {
    struct translation *t;
    enum stream_ending how;
    struct value *values;
    size_t n, cap;
    struct waited *messages;
    size_t n_messages;
};

static bool collect(struct ending *e, struct node *root, struct node *unit, size_t part, struct error *err)
{
    struct arena *a = &e->t->memory;

    for (struct node *n = unit; n != NULL; n = tree_next(unit, n)) {
        if (n == root || !(value_is(e->t->dialect, root, n) || value_is_code(e->t->dialect, root, n))) {
            continue;
        }
        if (e->n == e->cap) {
            size_t cap = e->cap == 0 ? 64 : 2 * e->cap;
            struct value *values = arena_array(a, cap, sizeof(*values), err);
            if (values == NULL) {
                return false;
            }
            if (e->n > 0) {
                memcpy(values, e->values, e->n * sizeof(*values));
            }
            e->values = values;
            e->cap = cap;
        }
        e->values[e->n++] = (struct value){.root = root, .node = n, .part = part};
    }
    return true;
}

/* Takes the lines of the part out of what waits. */
static bool read_lines(struct ending *e, size_t part, struct error *err)
{
    struct translation *t = e->t;
    struct span all, line;
    size_t n = 0;

    if (part != SIZE_MAX && !values_wait(t, part)) {
        return true;
    }
    values_forget(t, part);
    if (!arena_copy(&t->memory, buf_span(&t->up.values), &all, err)) {
        return false;
    }
    for (size_t i = 0; i < all.len; i++) {
        n += all.ptr[i] == '\n';
    }
    e->messages = arena_array(&t->memory, n + 1, sizeof(*e->messages), err);
    if (e->messages == NULL) {
        return false;
    }
    buf_clear(&t->up.values);
    while (all.len > 0) {
        line = values_line(&all);
        size_t its = values_line_part(line), head = (size_t)((const char *)memchr(line.ptr, ' ', line.len) - line.ptr) + 1;
        if (part != SIZE_MAX && its != part) {
            if (!buf_append(&t->up.values, line, err) || !buf_append_char(&t->up.values, '\n', err)) {
                return false;
            }
            continue;
        }
        struct node *root = said_tree(t, span_slice(line, head, line.len), err);
        if (root == NULL) {
            return false;
        }
        e->messages[e->n_messages++] = (struct waited){.root = root, .part = its};
    }
    return true;
}

static bool ends_with(struct span text, struct span end)
{
    return text.len >= end.len && span_equal(span_slice(text, text.len - end.len, text.len), end);
}

/* Gives each value what was released of it, which is restored: where the text was changed, the first one gets what is there instead. */
static void give_back(struct value *const *of, size_t n, struct span released)
{
    size_t first = 0, last = n;

    for (size_t i = 0; i < n; i++) {
        of[i]->node->is_said = false;
    }
    while (first < last && span_starts_with(released, of[first]->node->text)) {
        released = span_slice(released, of[first++]->node->text.len, released.len);
    }
    while (last > first && ends_with(released, of[last - 1]->node->text)) {
        released = span_slice(released, 0, released.len - of[--last]->node->text.len);
    }
    for (; first < last; first++) {
        node_set_text(of[first]->node, released);
        released = span_of("", 0);
    }
}

/* All values of one place, as one text. One that is alone was judged already, but for what its end may have cut off. */
static bool end_place(struct ending *e, struct value *const *of, size_t n, struct error *err)
{
    struct translation *t = e->t;
    struct span path = of[0]->path, piece;
    uint64_t hash = of[0]->hash;

    if (n > 1 || e->how == STREAM_TRUNCATED) {
        struct span name = path.len > CHANNEL_PATH_MAX ? span_slice(path, path.len - CHANNEL_PATH_MAX, path.len) : path;
        struct text *x = text_apart(t, name, err);
        for (size_t i = 0; x != NULL && i < n; i++) {
            if (!text_feed(t, x, of[i]->node->text, &piece, err)) {
                return false;
            }
        }
        if (x == NULL || !text_end(t, x, e->how, &piece, err)) {
            return false;
        }
        struct span released = span_of("", 0);
        if (x->released.len > 0 && !arena_copy(&t->memory, buf_span(&x->released), &released, err)) {
            return false;
        }
        give_back(of, n, released);
    }
    return value_said(t, path, hash) != NULL || value_say(t, path, hash, of[n - 1]->node->text, err);
}

/* The values of the part: of messages that wait, and of the units in the message at hand. */
static bool collect_all(struct ending *e, size_t part, struct error *err)
{
    for (size_t i = 0; i < e->n_messages; i++) {
        const struct waited *m = &e->messages[i];
        if (!collect(e, m->root, m->root, m->part, err)) {
            return false;
        }
    }
    for (struct unit *u = e->t->up.units; u != NULL; u = u->next) {
        if (!u->is_settled && (part == SIZE_MAX || u->part == part)) {
            u->is_settled = true;
            if (!collect(e, u->root, u->node, u->part, err)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_same_place(const struct value *a, const struct value *b)
{
    return a->hash == b->hash && a->part == b->part && span_equal(a->path, b->path);
}

/* By place, in each place by order. */
static int compare(const void *left, const void *right)
{
    const struct value *a = *(struct value *const *)left, *b = *(struct value *const *)right;

    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }
    if (a->path.len != b->path.len) {
        return a->path.len < b->path.len ? -1 : 1;
    }
    int order = memcmp(a->path.ptr, b->path.ptr, a->path.len);
    order = order != 0 ? order : (a->part > b->part) - (a->part < b->part);
    return order != 0 ? order : (a > b) - (a < b);
}

/* An upstream may give each of very many values a place of its own. `are_arrays`: all that stands in arrays of one place has it, whatever
 * its position; else numbers have none. */
static bool find_places(struct ending *e, bool are_arrays, struct error *err)
{
    struct value **sorted = arena_array(&e->t->memory, e->n + 1, sizeof(struct value *), err);
    size_t n = 0;

    for (size_t i = 0; sorted != NULL && i < e->n; i++) {
        struct value *v = &e->values[i];
        v->n_same = 0;
        if (!are_arrays && v->node->kind == JSON_KIND_NUMBER) {
            continue;
        }
        const struct node *at = are_arrays ? array_of(v->root, v->node) : v->node;
        if (!value_place(e->t, v->root, at, v->part, are_arrays ? 0 : POSITIONS_MAX, &v->path, err)) {
            return false;
        }
        v->hash = value_hash(v->path);
        sorted[n++] = v;
    }
    if (n > 1) {
        qsort(sorted, n, sizeof(struct value *), compare);
    }
    for (size_t from = 0, to = 0; from < n; from = to) {
        while (to < n && is_same_place(sorted[from], sorted[to])) {
            to++;
        }
        sorted[from]->same = sorted + from;
        sorted[from]->n_same = to - from;
    }
    return sorted != NULL;
}

/* --- arrays of several messages ----------------------------------------------------- */

static bool is_in_array(const struct translation *t, const struct value *v)
{
    const struct node *top = value_top(v->root, v->node), *n = v->node;
    bool is_list = t->dialect->list != NULL && span_is(top->name, t->dialect->list);

    while (n != v->root && (n->kind != JSON_KIND_ARRAY || (n == top && is_list))) {
        n = n->parent;
    }
    return n != v->root;
}

static bool is_part(const struct value *v)
{
    return v->node->text.len > 0 && v->node->text.len <= ARRAY_PART_MAX;
}

/* What stands in arrays of one place, or the values there if they are codes, may be parts of one string over several messages. Those of
 * one message were judged with it. */
static bool is_array_of_parts(const struct translation *t, struct value *const *of, size_t n, struct array_parts *parts)
{
    bool is_of_many = false;

    *parts = (struct array_parts){0};
    for (size_t i = 0; i < n; i++) {
        if (is_part(of[i]) && !array_parts_add(parts, of[i]->node->kind, of[i]->node->text)) {
            return false;
        }
        is_of_many = is_of_many || of[i]->root != of[0]->root;
    }
    return is_of_many && array_parts_are_one(parts) && array_parts_are_plain(parts) && (array_parts_are_codes(parts) || is_in_array(t, of[0]));
}

static bool write_array(struct value *const *of, size_t n, bool are_codes, struct buf *out, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct node *at = of[i]->node;
        if (is_part(of[i]) && ((out->len > 0 && !buf_append_str(out, ARRAY_PART_JOINT, err)) ||
                                 !(are_codes ? buf_append(out, array_part_code(at->text), err) : tree_write(at, out, err)))) {
            return false;
        }
    }
    return true;
}

/* Redacted, the first of them says what is there instead, and the others are empty. */
static bool judge_array(struct translation *t, struct value *const *of, size_t n, struct error *err)
{
    struct channel c = {.path = of[0]->path, .is_parts = true};
    struct buf text CLEANUP(buf_deinit);
    struct array_parts parts;

    buf_init_text(&text, t->scratch.max);
    if (!is_array_of_parts(t, of, n, &parts)) {
        return true;
    }
    if (!write_array(of, n, array_parts_are_codes(&parts), &text, err) || !arena_copy(&t->memory, buf_span(&text), &c.text, err) ||
        !aside_judge(t, &c, 1, err)) {
        return false;
    }
    struct span left = c.output;
    for (size_t i = 0; i < n && !span_equal(c.output, c.text); i++) {
        if (is_part(of[i])) {
            node_set_text(of[i]->node, left);
            left = span_of("", 0);
        }
    }
    return true;
}

bool values_end(struct translation *t, size_t part, enum stream_ending how, struct error *err)
{
    struct ending e = {.t = t, .how = how};

    if ((t->up.values.len == 0 && t->up.units == NULL) || !answer_is_stream(t)) {
        return true;
    }
    if (!read_lines(&e, part, err) || !collect_all(&e, part, err) || !find_places(&e, false, err)) {
        return false;
    }
    for (size_t i = 0; i < e.n; i++) {
        const struct value *v = &e.values[i];
        if (v->n_same > 0 && !end_place(&e, v->same, v->n_same, err)) {
            return false;
        }
    }
    if (e.n_messages > 0 && !find_places(&e, true, err)) {
        return false;
    }
    for (size_t i = 0; i < e.n && e.n_messages > 0; i++) {
        const struct value *v = &e.values[i];
        if (v->n_same > 1 && !judge_array(t, v->same, v->n_same, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < e.n_messages; i++) {
        struct node *message = e.messages[i].root;
        bool has_places = t->dialect->has_places != NULL && t->dialect->has_places(message);
        if (has_places && text_was_changed(t)) {
            continue; /* in a text that was changed since */
        }
        if (!emit_whole(t, message, err)) {
            return false;
        }
    }
    return true;
}
