#include "protocol/values.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/path.h"

enum { NO_PART = SIZE_MAX - 1, SAID_MAX = 16384 };

/* A row is about its own leaf, and a safe one about all that is in it. */
bool value_is(const struct dialect *d, const struct node *root, const struct node *n)
{
    bool is_value = n->kind == JSON_KIND_STRING && !n->is_judged && n->text.len > 0;

    for (const struct node *at = n; is_value && at != root; at = at->parent) {
        const struct leaf_row *row = leaf_find(d, root, at);
        is_value = row == NULL || (row->use != LEAF_SAFE && (at != n || row->use == LEAF_JUDGED || row->use == LEAF_MEDIA));
    }
    return is_value;
}

/* --- places --------------------------------------------------------------------- */

const struct node *value_top(const struct node *root, const struct node *n)
{
    while (n != root && n->parent != NULL && n->parent != root) {
        n = n->parent;
    }
    return n;
}

/* "/content_block_delta/0": the key that distinguishes events. A snapshot of the whole answer has the same key in every event. */
static bool append_event(const struct dialect *d, const struct node *root, const struct node *n, struct buf *path,
                         struct error *err)
{
    const struct node *type = node_member(root, "type");
    bool is_snapshot = d->envelope_in != NULL && span_is(value_top(root, n)->name, d->envelope_in);

    if (!d->has_event_names || is_snapshot) {
        return true;
    }
    if (node_is_string(type) && leaf_is_id(type->text) &&
        !path_append_name(path, type->text, err)) {
        return false;
    }
    for (const char *const *key = d->value_keys; key != NULL && *key != NULL; key++) {
        size_t index;
        if (node_index(node_member(root, *key), &index) && !path_append_index(path, index, err)) {
            return false;
        }
    }
    return true;
}

static bool append_steps(const struct node *root, const struct node *n, size_t positions_max, struct buf *path,
                         struct error *err)
{
    const struct node *steps[JSON_DEPTH_MAX + 1];
    size_t depth = 0;

    for (const struct node *at = n; at != root && depth < COUNT(steps); at = at->parent) {
        steps[depth++] = at;
    }
    while (depth-- > 0) {
        const struct node *at = steps[depth];
        if (at->parent->kind == JSON_KIND_OBJECT) {
            if (!path_append_name(path, at->name, err)) {
                return false;
            }
            continue;
        }
        size_t index = text_index(at);
        if (!path_append_index(path, index < positions_max ? index : positions_max, err)) {
            return false;
        }
    }
    return true;
}

bool value_place(struct translation *t, const struct node *root, const struct node *n, size_t part,
                     size_t positions_max, struct span *place, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);

    buf_init(&path, t->event_max + 64);
    return (t->dialect->value_part == NULL || path_append_index(&path, part, err)) &&
           append_event(t->dialect, root, n, &path, err) && append_steps(root, n, positions_max, &path, err) &&
           arena_copy(&t->memory, buf_span(&path), place, err);
}

size_t value_part(const struct translation *t, const struct node *root, const struct node *n)
{
    const struct dialect *d = t->dialect;
    size_t part = NO_PART;

    if (d->value_part != NULL) {
        return d->value_part(t, root, &part) ? part : NO_PART;
    }
    if (d->has_event_names) {
        return d->value_keys != NULL && node_index(node_member(root, d->value_keys[0]), &part) ? part : NO_PART;
    }
    const struct node *top = value_top(root, n);
    while (n != top && n->parent != top) {
        n = n->parent;
    }
    return n != top && top->kind == JSON_KIND_ARRAY && d->list != NULL && span_is(top->name, d->list) ? text_index(n) : 0;
}

/* --- what was said --------------------------------------------------------------- */

uint64_t value_hash(struct span path)
{
    uint64_t hash = 14695981039346656037U;

    for (size_t i = 0; i < path.len; i++) {
        hash = (hash ^ (unsigned char)path.ptr[i]) * 1099511628211U;
    }
    return hash;
}

struct said *value_said(const struct translation *t, struct span path, uint64_t hash)
{
    struct said *s = t->up.said == NULL ? NULL : t->up.said[hash % SAID_SLOTS];

    while (s != NULL && (s->hash != hash || !span_equal(span_of(s->bytes, s->path_len), path))) {
        s = s->next;
    }
    return s;
}

bool value_say(struct translation *t, struct span path, uint64_t hash, struct span text, struct error *err)
{
    if (t->up.n_said == SAID_MAX) {
        return error_set(err, ERROR_LIMIT, "answer: more than %d values", SAID_MAX);
    }
    if (t->up.said == NULL) {
        t->up.said = calloc(SAID_SLOTS, sizeof(struct said *));
    }
    struct said *s = t->up.said == NULL ? NULL : malloc(sizeof(*s) + path.len + text.len);
    if (s == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "answer: no memory for a value");
    }
    *s = (struct said){.hash = hash, .path_len = path.len, .text_len = text.len, .next = t->up.said[hash % SAID_SLOTS]};
    memcpy(s->bytes, path.ptr, path.len);
    if (text.len > 0) {
        memcpy(s->bytes + path.len, text.ptr, text.len);
    }
    t->up.said[hash % SAID_SLOTS] = s;
    t->up.n_said++;
    return true;
}

bool value_was_said(struct translation *t, struct span path, struct node *n)
{
    const struct said *s = value_said(t, path, value_hash(path));

    if (s != NULL && !span_equal(span_of(s->bytes + s->path_len, s->text_len), n->text)) {
        left_out_text(t, n->text);
        node_set_text(n, span_of("", 0));
    }
    return s != NULL;
}
