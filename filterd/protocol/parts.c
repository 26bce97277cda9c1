#include <stdlib.h>

#include "base/locked_pages.h"
#include "protocol/dialect.h"

enum { NAME_MAX_BYTES = 1024 };

void *list_room(void *list, size_t n, size_t size)
{
    bool is_full = (n & (n - 1)) == 0; /* at 0, 1, 2, 4, 8, … it holds as many as it has */

    return is_full ? realloc(list, (n == 0 ? 1 : 2 * n) * size) : list;
}

struct part *part_find(const struct translation *t, size_t key)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        if (t->parts[i]->key == key) {
            return t->parts[i];
        }
    }
    return NULL;
}

struct part *part_open(struct translation *t, size_t key, struct error *err)
{
    struct part *p = part_find(t, key);

    if (p != NULL) {
        return p;
    }
    if (t->n_parts == PARTS_MAX) {
        error_set(err, ERROR_LIMIT, "answer: more than %d parts", PARTS_MAX);
        return NULL;
    }
    struct part **parts = list_room(t->parts, t->n_parts, sizeof(struct part *));
    t->parts = parts != NULL ? parts : t->parts;
    p = parts == NULL ? NULL : calloc(1, sizeof(*p));
    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "answer: no memory for a part");
        return NULL;
    }
    p->key = key;
    buf_init_text(&p->held, t->event_max);
    buf_init_text(&p->logprobs.held, t->event_max);
    t->parts[t->n_parts++] = p;
    return p;
}

struct call *call_open(struct translation *t, size_t part, size_t index, struct error *err)
{
    for (size_t i = 0; i < t->n_calls; i++) {
        if (t->calls[i]->part == part && t->calls[i]->index == index) {
            return t->calls[i];
        }
    }
    if (t->n_calls == CALLS_MAX) {
        error_set(err, ERROR_LIMIT, "answer: more than %d tool calls", CALLS_MAX);
        return NULL;
    }
    struct call **calls = list_room(t->calls, t->n_calls, sizeof(struct call *));
    t->calls = calls != NULL ? calls : t->calls;
    struct call *c = calls == NULL ? NULL : calloc(1, sizeof(*c));
    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "answer: no memory for a tool call");
        return NULL;
    }
    c->part = part;
    c->index = index;
    buf_init(&c->id, NAME_MAX_BYTES);
    buf_init(&c->type, NAME_MAX_BYTES);
    buf_init(&c->name, NAME_MAX_BYTES);
    buf_init_text(&c->arguments, t->event_max);
    t->calls[t->n_calls++] = c;
    return c;
}

/* Some upstreams send the same again with every piece. */
static bool take_once(struct buf *to, const struct node *from, bool is_pieces, struct error *err)
{
    if (!node_is_string(from) || from->text.len == 0 || span_equal(from->text, buf_span(to)) ||
        (to->len > 0 && !is_pieces)) {
        return true;
    }
    return buf_append(to, from->text, err);
}

bool call_take(struct call *c, const struct node *id, const struct node *type,
               const struct node *name, struct error *err)
{
    if (node_is_string(id) && !id->is_judged) {
        return error_set(err, ERROR_INTERNAL, "answer: an id of a tool call was not judged");
    }
    return take_once(&c->id, id, false, err) && take_once(&c->type, type, false, err) &&
           take_once(&c->name, name, true, err);
}

void parts_free(struct translation *t)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        buf_deinit(&t->parts[i]->held);
        buf_deinit(&t->parts[i]->logprobs.held);
        free(t->parts[i]);
    }
    for (size_t i = 0; i < t->n_calls; i++) {
        struct call *c = t->calls[i];
        buf_deinit(&c->id);
        buf_deinit(&c->type);
        buf_deinit(&c->name);
        buf_deinit(&c->arguments);
        free(c);
    }
    free(t->parts);
    free(t->calls);
}
