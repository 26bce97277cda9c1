/* pieces.c - texts that a reader reads as one, judged once more as one: of an answer without a dialect, and the parts of a message.
 *
 * A piece says nothing by itself of a value that goes on in the next one. What is found in the joined text then stands as a label in the
 * first of the pieces that it spans, and is cut out of the others. */
#include "protocol/pieces.h"

#include "protocol/dialect.h"

enum { LABEL_MAX = 512 };

static bool join(struct arena *a, struct pieces p, const char *joint, struct span *out, struct error *err)
{
    size_t len = 0, joint_len = strlen(joint);
    char *text;

    for (size_t i = 0; i < p.n; i++) {
        p.items[i].from = len;
        p.items[i].to = len + p.items[i].text.len;
        len = p.items[i].to + joint_len;
    }
    text = arena_alloc(a, len + 1, err);
    if (text == NULL) {
        return false;
    }
    for (size_t i = 0; i < p.n; i++) {
        if (p.items[i].text.len > 0) {
            memcpy(text + p.items[i].from, p.items[i].text.ptr, p.items[i].text.len);
        }
        memcpy(text + p.items[i].to, joint, joint_len);
    }
    *out = span_of(text, len - joint_len);
    return true;
}

static bool is_changed(const struct piece *p)
{
    return !span_equal(p->text, *p->out);
}

/* Whether it is in one piece that was judged for it: of words and tokens, in one in which something was found before. */
static bool is_known(const void *context, size_t from, size_t to)
{
    const struct pieces *p = context;
    size_t low = 0, high = p->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        low = p->items[middle].from <= from ? middle : low;
        high = p->items[middle].from <= from ? high : middle;
    }
    return to <= p->items[low].to && (p->are_texts || is_changed(&p->items[low]));
}

/* Cuts the places out of the piece, from *places on, which moves behind those that end in it. Of a piece that was changed before
 * nothing else is left. */
static bool cut(struct arena *a, struct piece *p, const struct aside_place **places, const struct aside_place *end, struct error *err)
{
    struct buf kept CLEANUP(buf_deinit);
    const struct aside_place *place = *places;
    bool is_whole = is_changed(p);
    size_t at = p->from;

    buf_init(&kept, LABEL_MAX * (p->text.len + 1));
    for (; place < end && place->from < p->to; place++) {
        size_t from = place->from > p->from ? place->from : p->from;
        if ((!is_whole && !buf_append(&kept, span_slice(p->text, at - p->from, from - p->from), err)) ||
            (place->from >= p->from && !buf_append(&kept, place->label, err))) {
            return false;
        }
        at = place->to > p->to ? p->to : place->to > p->from ? place->to : p->from;
        if (place->to > p->to) {
            break;
        }
    }
    *places = place;
    return (is_whole || buf_append(&kept, span_slice(p->text, at - p->from, p->text.len), err)) &&
           arena_copy(a, buf_span(&kept), p->out, err);
}

bool pieces_judge_joined(struct translation *t, struct span path, struct pieces p, const char *joint, struct error *err)
{
    const struct aside_place *places, *end;
    size_t n;
    struct span text;

    if (!join(&t->memory, p, joint, &text, err) || !aside_judge_places(t, path, text, is_known, &p, &places, &n, err)) {
        return false;
    }
    end = places + n;
    t->beside.has_changed_texts |= n > 0;
    for (size_t i = 0; i < p.n && places < end; i++) {
        while (places < end && places->to <= p.items[i].from) {
            places++; /* it ended between two pieces */
        }
        if (places < end && places->from < p.items[i].to && !cut(&t->memory, &p.items[i], &places, end, err)) {
            return false;
        }
    }
    return true;
}

/* --- the parts of a message ------------------------------------------------------------ */

static bool is_joined(const struct translation *t, const struct node *root, const struct node *n)
{
    return n->kind == JSON_KIND_STRING && n->text.len > 0 && leaf_is_at(root, n, t->dialect->joined.path);
}

bool message_keep_parts(struct translation *t, struct node *root, struct error *err)
{
    struct message_parts parts = {0};
    size_t n = 0;

    t->up.parts = parts;
    for (const struct node *at = t->dialect->joined.path == NULL ? NULL : root; at != NULL; at = tree_next(root, at)) {
        n += is_joined(t, root, at);
    }
    if (n < 2) {
        return true;
    }
    parts.nodes = arena_array(&t->memory, n, sizeof(struct node *), err);
    parts.texts = parts.nodes == NULL ? NULL : arena_array(&t->memory, n, sizeof(*parts.texts), err);
    if (parts.texts == NULL) {
        return false;
    }
    for (struct node *at = root; at != NULL; at = tree_next(root, at)) {
        if (is_joined(t, root, at)) {
            parts.texts[parts.n] = at->text;
            parts.nodes[parts.n++] = at;
        }
    }
    t->up.parts = parts;
    return true;
}

/* NULL: it was taken out of the answer. */
static const struct node *message_of(const struct translation *t, const struct node *n)
{
    for (unsigned i = 0; i < t->dialect->joined.steps && n != NULL; i++) {
        n = n->parent;
    }
    return n;
}

/* The texts from *at on that are of one message; *at moves behind them. *first: where the first of them is. */
static struct pieces next_message(const struct translation *t, size_t *at, struct piece *items, const struct node **first)
{
    const struct message_parts *parts = &t->up.parts;
    const struct node *message = NULL;
    struct pieces p = {.items = items, .are_texts = true};

    for (; *at < parts->n; ++*at) {
        const struct node *of = message_of(t, parts->nodes[*at]);
        if (of != NULL && message != NULL && of != message) {
            break;
        }
        if (of != NULL) {
            *first = message == NULL ? parts->nodes[*at] : *first;
            message = of;
            items[p.n++] = (struct piece){.text = parts->texts[*at], .out = &parts->nodes[*at]->text};
        }
    }
    return p;
}

bool message_judge_joined(struct translation *t, const struct node *root, struct error *err)
{
    const struct message_parts *parts = &t->up.parts;
    struct piece *items = parts->n == 0 ? NULL : arena_array(&t->memory, parts->n, sizeof(*items), err);
    struct span path;

    for (size_t at = 0; items != NULL && at < parts->n;) {
        const struct node *first = root;
        struct pieces p = next_message(t, &at, items, &first);
        if (p.n > 1 && !(leaf_path(t, root, first, &path, err) && pieces_judge_joined(t, path, p, "", err))) {
            return false;
        }
    }
    return items != NULL || parts->n == 0;
}
