#include "protocol/dialect.h"
#include "protocol/values_parts.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/path.h"
#include "pipeline/array_parts.h"
#include "pipeline/columns.h"

enum { NO_PART = SIZE_MAX - 1, SAID_MAX = 16384 };

/* A row is about its own leaf, and a safe one about all that is in it. */
static bool is_unknown(const struct dialect *d, const struct node *root, const struct node *n)
{
    bool is_value = true;

    for (const struct node *at = n; is_value && at != root; at = at->parent) {
        const struct leaf_row *row = leaf_find(d, root, at);
        is_value = row == NULL || (row->use != LEAF_SAFE && (at != n || row->use == LEAF_JUDGED || row->use == LEAF_MEDIA));
    }
    return is_value;
}

bool value_is(const struct dialect *d, const struct node *root, const struct node *n)
{
    return n->kind == JSON_KIND_STRING && !n->is_judged && n->text.len > 0 && is_unknown(d, root, n);
}

bool value_is_code(const struct dialect *d, const struct node *root, const struct node *n)
{
    return part_is_code(n) && !n->is_judged && is_unknown(d, root, n);
}

/* --- places --------------------------------------------------------------------- */

const struct node *value_top(const struct node *root, const struct node *n)
{
    while (n != root && n->parent != NULL && n->parent != root) {
        n = n->parent;
    }
    return n;
}

/* Whether events have types, in a line of their own or not (openai_realtime). */
static bool has_typed_events(const struct dialect *d)
{
    return d->has_event_names || d->value_keys != NULL;
}

/* "/content_block_delta/0": the key that distinguishes events. A snapshot of the whole answer has the same key in every event. */
static bool append_event(const struct dialect *d, const struct node *root, const struct node *n, struct buf *path,
                         struct error *err)
{
    const struct node *type = node_member(root, "type");
    bool is_snapshot = d->envelope_in != NULL && span_is(value_top(root, n)->name, d->envelope_in);

    if (!has_typed_events(d) || is_snapshot) {
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
    if (has_typed_events(d)) {
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

/* --- arrays of parts ---------------------------------------------------------------- */

static size_t depth_in(const struct node *array, const struct node *n)
{
    size_t depth = 0;

    for (; n != array; n = n->parent) {
        depth++;
    }
    return depth;
}

/* Whether it is an array of what may be the parts of one string. */
static bool read_parts(const struct node *array, struct array_parts *out)
{
    *out = (struct array_parts){0};
    for (const struct node *at = array; array->kind == JSON_KIND_ARRAY && (at = tree_next(array, at)) != NULL;) {
        bool is_array = at->kind == JSON_KIND_ARRAY, is_part = at->kind == JSON_KIND_NUMBER || at->kind == JSON_KIND_STRING;
        if (depth_in(array, at) + is_array > ARRAY_PARTS_DEPTH || !(is_array || is_part) ||
            (is_part && !array_parts_add(out, at->kind, at->text))) {
            return false;
        }
    }
    return array_parts_are_one(out) && array_parts_are_plain(out); /* others: successive.c */
}

bool parts_are_in(const struct node *n)
{
    struct array_parts parts;

    return read_parts(n, &parts);
}

bool parts_join(struct translation *t, const struct node *array, struct span *out, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    struct array_parts parts;

    buf_init(&text, t->scratch.max);
    bool are_codes = read_parts(array, &parts) && array_parts_are_codes(&parts);
    for (const struct node *at = array; (at = tree_next(array, at)) != NULL;) {
        if (at->kind != JSON_KIND_ARRAY &&
            ((text.len > 0 && !buf_append_str(&text, ARRAY_PART_JOINT, err)) ||
             !(are_codes ? buf_append(&text, array_part_code(at->text), err) : tree_write(at, &text, err)))) {
            return false;
        }
    }
    return arena_copy(&t->memory, buf_span(&text), out, err);
}

/* --- codes ---------------------------------------------------------------------------- */

/* Of a character that is printed, or white space. */
bool part_is_code(const struct node *n)
{
    struct span digits = array_part_code(n->text);
    unsigned code = 0;

    for (size_t i = 0; i < digits.len; i++) {
        bool is_digit = digits.len <= 3 && digits.ptr[i] >= '0' && digits.ptr[i] <= '9';
        code = is_digit ? 10 * code + (unsigned)(digits.ptr[i] - '0') : UINT16_MAX;
    }
    return n->kind == JSON_KIND_NUMBER && ((code >= ' ' && code < 0x7f) || code == '\t' || code == '\n' || code == '\r');
}

/* Looked at once for all elements, which follow each other. */
bool coded_has(struct coded *c, const struct node *root, const struct node *n)
{
    const struct node *array = array_of(root, n);

    if (array == c->array) {
        return c->are_codes;
    }
    *c = (struct coded){.array = array, .are_codes = true};
    for (const struct node *at = array; at != NULL && c->are_codes; at = tree_next(array, at)) {
        c->are_codes = at->kind == JSON_KIND_ARRAY || part_is_code(at);
    }
    return c->are_codes;
}

/* --- columns ------------------------------------------------------------------------------ */

const struct node *array_of(const struct node *root, const struct node *n)
{
    for (int i = 0; i < ARRAY_PARTS_DEPTH && n->parent != root && n->parent->kind == JSON_KIND_ARRAY; i++) {
        n = n->parent;
    }
    return n;
}

/* Members of objects that are in an array; false: it is none. */
static bool find_place(const struct node *root, const struct node *n, uint64_t *place)
{
    bool is_in_array = false;

    *place = 0;
    for (const struct node *at = n; at != root; at = at->parent) {
        is_in_array = is_in_array || at->parent->kind == JSON_KIND_ARRAY;
        *place = column_step(*place, at->name);
    }
    return is_in_array && n != root && n->parent->kind == JSON_KIND_OBJECT && n->text.len <= ARRAY_PART_MAX;
}

bool columns_number(struct arena *a, const struct node *root, struct column_member *members, size_t n, struct error *err)
{
    struct column_table table = {0};
    uint32_t *counts = arena_array(a, n + 1, sizeof(*counts), err);
    uint64_t place;

    if (counts == NULL) {
        return false;
    }
    memset(counts, 0, (n + 1) * sizeof(*counts));
    for (size_t i = 0; i < n; i++) {
        *members[i].column = 0;
        if (find_place(root, members[i].node, &place) && !column_number(a, &table, place, members[i].column, err)) {
            return false;
        }
        counts[*members[i].column]++;
    }
    for (size_t i = 0; i < n; i++) {
        *members[i].column = counts[*members[i].column] > 1 ? *members[i].column : 0;
    }
    return true;
}
