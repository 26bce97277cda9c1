#include "protocol/wire/tree.h"

#include <assert.h>

#include "protocol/wire/mend.h"

static struct node *node_new(struct arena *a, enum json_kind kind, struct error *err)
{
    struct node *n = arena_alloc(a, sizeof(*n), err);

    if (n != NULL) {
        *n = (struct node){.kind = kind};
    }
    return n;
}

void node_append(struct node *container, struct node *child)
{
    assert(container != NULL && child != NULL);
    child->parent = container;
    child->next = NULL;
    if (container->last == NULL) {
        container->is_numbered = true;
        container->first = child;
        child->position = 0;
    } else {
        container->last->next = child;
        child->position = container->last->position + 1;
    }
    container->last = child;
}

size_t node_position(const struct node *child)
{
    struct node *parent = child->parent;
    uint32_t position = 0;

    for (struct node *at = parent->first; at != NULL && !parent->is_numbered; at = at->next) {
        at->position = position++;
    }
    parent->is_numbered = true;
    return child->position;
}

void node_remove(struct node *n)
{
    struct node *parent = n == NULL ? NULL : n->parent;
    struct node *before = NULL;

    if (parent == NULL) {
        return;
    }
    for (struct node *at = parent->first; at != n; at = at->next) {
        before = at;
    }
    if (before == NULL) {
        parent->first = n->next;
    } else {
        before->next = n->next;
    }
    if (parent->last == n) {
        parent->last = before;
    }
    parent->is_numbered = false;
    /* n->next stays, so that a walk may remove the node it is on. */
    n->parent = NULL;
}

/* --- reading ------------------------------------------------------------------- */

struct reader {
    struct arena *arena;
    bool is_mended;
    struct node *root, *in;
    struct span name;
};

static bool read_string(struct reader *r, struct json_value value, struct span *out,
                        struct error *err)
{
    if (!json_unquote(r->arena, value, out, err)) {
        return false;
    }
    return !r->is_mended || mend_undo(r->arena, *out, out, err);
}

/* The members before are few, or refused: no table is needed to find a double. */
static bool drop_double(struct node *object, struct span name, struct error *err)
{
    size_t n = 0;

    for (struct node *at = object->first; at != NULL; at = at->next) {
        if (span_equal(at->name, name)) {
            node_remove(at);
            return true;
        }
        if (++n >= TREE_MEMBERS_MAX) {
            return error_set(err, ERROR_LIMIT, "answer: an object of more than %d members",
                             TREE_MEMBERS_MAX);
        }
    }
    return true;
}

static bool add_value(struct reader *r, enum json_kind kind, struct span text, struct node **added, struct error *err)
{
    struct node *n = node_new(r->arena, kind, err);

    if (n == NULL) {
        return false;
    }
    n->text = text;
    if (r->in == NULL) {
        r->root = n;
    } else {
        if (r->in->kind == JSON_KIND_OBJECT) {
            n->name = r->name;
            if (!drop_double(r->in, n->name, err)) {
                return false;
            }
        }
        node_append(r->in, n);
    }
    *added = n;
    return true;
}

/* `text` is what the token says: unquoted, if it is a string. */
static bool take_token(struct reader *r, const struct json_token *token, struct span text, struct error *err)
{
    struct node *added;

    if (token->kind == JSON_TOKEN_CLOSE) {
        r->in = r->in == NULL ? NULL : r->in->parent;
        return true;
    }
    if (token->kind == JSON_TOKEN_NAME) {
        r->name = text;
        return true;
    }
    if (!add_value(r, token->value.kind, text, &added, err)) {
        return false;
    }
    if (token->kind == JSON_TOKEN_OPEN) {
        r->in = added;
    }
    return true;
}

struct node *tree_read(struct arena *a, struct span json, struct error *err)
{
    struct reader r = {.arena = a};
    struct json_token token;
    struct error first;

    if (!json_validate(json, &first)) {
        /* Cut characters are the one fault that can be read. */
        if (!mend_json(a, json, &json, &r.is_mended, err)) {
            return NULL;
        }
        if (!r.is_mended || !json_validate(json, err)) {
            *err = r.is_mended ? *err : first;
            return NULL;
        }
    }
    struct json_walk walk = json_walk(json);
    while (json_walk_next(&walk, &token)) {
        struct span text = token.value.raw;
        bool is_value = token.kind == JSON_TOKEN_VALUE;
        bool is_string = token.kind == JSON_TOKEN_NAME || (is_value && token.value.kind == JSON_KIND_STRING);
        if ((is_string && !read_string(&r, token.value, &text, err)) || !take_token(&r, &token, text, err)) {
            return NULL;
        }
    }
    return r.root;
}

struct node *tree_read_members(struct arena *a, struct span json, struct json_known known, bool (*is_wanted)(struct span name), struct error *err)
{
    struct node *object = node_new(a, json_root(json).kind, err);
    struct json_iterator it = json_iterate_known(json, known);
    struct json_value item;
    struct span raw, name;

    while (object != NULL && json_next(&it, &raw, &item)) {
        if (!json_unescape(a, raw, &name, err)) {
            return NULL;
        }
        if (is_wanted(name)) {
            struct node *n = tree_read(a, item.raw, err);
            if (n == NULL || !drop_double(object, name, err)) {
                return NULL;
            }
            n->name = name;
            node_append(object, n);
        }
    }
    return object;
}

struct node *tree_literal(struct arena *a, const char *json, struct error *err)
{
    return tree_read(a, span_str(json), err);
}

/* --- finding and changing ------------------------------------------------------- */

struct node *node_member(const struct node *object, const char *name)
{
    struct node *at = object != NULL && object->kind == JSON_KIND_OBJECT ? object->first : NULL;
    const struct span wanted = span_str(name);

    while (at != NULL && !span_equal(at->name, wanted)) {
        at = at->next;
    }
    return at;
}

static struct node *member(const struct node *object, struct span name)
{
    struct node *at = object->kind == JSON_KIND_OBJECT ? object->first : NULL;

    while (at != NULL && !span_equal(at->name, name)) {
        at = at->next;
    }
    return at;
}

static struct node *element(const struct node *array, struct span digits)
{
    struct node *at = array->first;
    size_t index = 0;

    for (size_t i = 0; i < digits.len; i++) {
        index = index * 10 + (size_t)(digits.ptr[i] - '0');
    }
    while (at != NULL && index-- > 0) {
        at = at->next;
    }
    return at;
}

struct node *node_at(const struct node *n, const char *path)
{
    struct node *at = NULL;

    for (const char *part = path; n != NULL; n = at) {
        size_t len = strcspn(part, "/");
        struct span name = span_of(part, len);
        at = n->kind == JSON_KIND_ARRAY ? element(n, name) : member(n, name);
        if (part[len] == '\0') {
            return at;
        }
        part += len + 1;
    }
    return NULL;
}

bool node_is_string(const struct node *n)
{
    return n != NULL && n->kind == JSON_KIND_STRING;
}

bool node_is(const struct node *n, const char *text)
{
    return node_is_string(n) && span_is(n->text, text);
}

bool node_index(const struct node *n, size_t *index)
{
    size_t value = 0;

    if (n == NULL || n->kind != JSON_KIND_NUMBER || n->text.len > 7) {
        return false;
    }
    for (size_t i = 0; i < n->text.len; i++) {
        if (n->text.ptr[i] < '0' || n->text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (size_t)(n->text.ptr[i] - '0');
    }
    if (value > TREE_INDEX_MAX) {
        return false;
    }
    *index = value;
    return true;
}

bool node_is_truthy(const struct node *n)
{
    if (n == NULL || n->kind == JSON_KIND_NULL || n->kind == JSON_KIND_FALSE) {
        return false;
    }
    if (n->kind == JSON_KIND_STRING) {
        return n->text.len > 0;
    }
    return n->kind != JSON_KIND_NUMBER || !span_is(n->text, "0");
}

size_t node_count(const struct node *container)
{
    size_t n = 0;

    for (const struct node *at = container == NULL ? NULL : container->first; at != NULL;
         at = at->next) {
        n++;
    }
    return n;
}

void node_set_text(struct node *n, struct span text)
{
    assert(n != NULL);
    n->kind = JSON_KIND_STRING;
    n->is_verbatim = n->is_said = false;
    n->text = text;
    n->first = n->last = NULL;
}

void node_set_redacted(struct node *n, struct span text)
{
    bool is_said = n->is_said || n->kind != JSON_KIND_STRING;

    node_set_text(n, text);
    n->is_said = is_said;
}

void node_set_null(struct node *n)
{
    assert(n != NULL);
    n->kind = JSON_KIND_NULL;
    n->is_verbatim = false;
    n->first = n->last = NULL;
}

bool node_set_index(struct arena *a, struct node *n, size_t index, struct error *err)
{
    char digits[24];
    size_t at = sizeof(digits);

    assert(n != NULL);
    do {
        digits[--at] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    if (!arena_copy(a, span_of(digits + at, sizeof(digits) - at), &n->text, err)) {
        return false;
    }
    n->kind = JSON_KIND_NUMBER;
    n->first = n->last = NULL;
    return true;
}

struct node *node_add(struct arena *a, struct node *container, struct span name, struct error *err)
{
    assert(container != NULL);
    struct node *n = node_new(a, JSON_KIND_NULL, err);

    if (n != NULL) {
        n->name = name;
        node_append(container, n);
    }
    return n;
}

struct node *node_copy(struct arena *a, struct node *container, const struct node *from, struct error *err)
{
    struct node *n = node_new(a, from->kind, err);

    if (n == NULL) {
        return NULL;
    }
    n->is_verbatim = from->is_verbatim;
    n->is_said = from->is_said;
    n->name = from->name;
    n->text = from->text;
    if (container != NULL) {
        node_append(container, n);
    }
    return n;
}

bool node_put(struct arena *a, struct node *object, const char *name, struct span text,
              struct error *err)
{
    struct node *n = node_member(object, name);

    assert(object != NULL);
    if (n == NULL) {
        n = node_add(a, object, span_str(name), err);
    }
    if (n == NULL) {
        return false;
    }
    node_set_text(n, text);
    return true;
}
