/* emit.c - writing of messages, and what built events repeat. */
#include "protocol/emit.h"

#include "protocol/dialect.h"

/* --- messages --------------------------------------------------------------------- */

static bool emit_event(struct translation *t, const struct node *message, struct error *err)
{
    const struct node *type = node_member(message, "type");
    const struct node *data = t->dialect->named == NULL ? NULL : node_member(message, "data");

    message = data == NULL ? message : data;
    if (t->dialect->has_event_names && node_is_string(type) &&
        (!buf_append_str(t->down.out, "event: ", err) || !buf_append(t->down.out, type->text, err) ||
         !buf_append_char(t->down.out, '\n', err))) {
        return false;
    }
    return buf_append_str(t->down.out, "data: ", err) && tree_write(message, t->down.out, err) &&
           buf_append_str(t->down.out, "\n\n", err);
}

static bool emit_line(struct translation *t, const struct node *message, struct error *err)
{
    return tree_write(message, t->down.out, err) && buf_append_char(t->down.out, '\n', err);
}

static bool emit_element(struct translation *t, const struct node *message, struct error *err)
{
    return buf_append_str(t->down.out, t->down.shown.n_events == 0 ? "[" : ",\r\n", err) &&
           tree_write(message, t->down.out, err);
}

static bool emit_body(struct translation *t, const struct node *message, struct error *err)
{
    return tree_write(message, t->down.out, err);
}

bool emit_whole(struct translation *t, struct node *message, struct error *err)
{
    static bool (*const as[])(struct translation *, const struct node *, struct error *) = {
        [FRAMING_BODY] = emit_body,
        [FRAMING_EVENTS] = emit_event,
        [FRAMING_LINES] = emit_line,
        [FRAMING_ARRAY] = emit_element,
    };
    size_t before = t->down.out->len;

    if (!successive_judge(t, message, err)) {
        return false;
    }
    if (answer_is_stream(t) && t->dialect->stamp != NULL && !t->dialect->stamp(t, message, err)) {
        return false;
    }
    if (!message_restore(t, message, err) || !as[t->up.framer.kind](t, message, err)) {
        t->down.out->len = before;
        return false;
    }
    t->down.shown.n_events++;
    return true;
}

bool emit(struct translation *t, struct node *message, struct error *err)
{
    bool is_gone;

    return values_detach(t, message, &is_gone, err) && (is_gone || emit_whole(t, message, err));
}

bool emit_released(struct translation *t, struct node *message, bool says_nothing,
                   struct error *err)
{
    bool is_gone;

    return says_nothing ? values_detach(t, message, &is_gone, err) : emit(t, message, err);
}

/* --- what built events repeat ---------------------------------------------------- */

static bool is_repeatable(const struct node *n)
{
    bool may_leave = n->kind != JSON_KIND_STRING || n->is_judged || id_is_word(n->text);

    return n->first == NULL && may_leave && !n->is_verbatim;
}

static bool copy_kept(struct translation *t, const struct node *root, const struct node *from,
                      struct node *to, struct error *err)
{
    for (const struct node *at = from->first; at != NULL; at = at->next) {
        const struct leaf_row *row = leaf_find(t->dialect, root, at);
        if (row == NULL || row->kept == KEPT_NOT || !is_repeatable(at)) {
            continue;
        }
        struct node *copy = node_copy(&t->memory, to, at, err);
        if (copy == NULL) {
            return false;
        }
        if (row->kept == KEPT_NULL) {
            node_set_null(copy);
        }
    }
    return true;
}

struct node *skeleton_of(struct translation *t, const struct node *root, const struct node *leaf,
                         struct error *err)
{
    const struct node *way[JSON_DEPTH_MAX + 2];
    size_t n = 0;

    for (const struct node *at = leaf; at != NULL && n < COUNT(way); at = at->parent) {
        way[n++] = at;
    }
    struct node *top = node_copy(&t->memory, NULL, root, err);
    struct node *copy = top;
    if (copy == NULL || !copy_kept(t, root, root, copy, err)) {
        return NULL;
    }
    for (size_t i = n == 0 ? 0 : n - 1; i-- > 0;) {
        copy = node_copy(&t->memory, copy, way[i], err);
        if (copy == NULL || !copy_kept(t, root, way[i], copy, err)) {
            return NULL;
        }
    }
    if (copy->kind == JSON_KIND_STRING) {
        copy->text = span_of("", 0);
    }
    return top;
}

bool envelope_take(struct translation *t, const struct node *root, struct error *err)
{
    if (t->up.envelope.len > 0 || root->kind != JSON_KIND_OBJECT) {
        return true;
    }
    const char *in = t->dialect->envelope_in;
    struct node *kept = skeleton_of(t, root, in == NULL ? NULL : node_member(root, in), err);
    return kept != NULL && tree_write(kept, &t->up.envelope, err);
}

struct node *envelope(struct translation *t, struct error *err)
{
    return tree_read(&t->memory, t->up.envelope.len == 0 ? span_str("{}") : buf_span(&t->up.envelope), err);
}

struct node *ending_envelope(struct translation *t, struct error *err)
{
    struct node *root = envelope(t, err);

    return root != NULL && cost_add(t, root, err) ? root : NULL;
}

bool json_around(const char *head, struct span text, const char *tail, struct buf *out,
                 struct error *err)
{
    size_t before = out->len;

    if (!buf_append_str(out, head, err) || !json_append_string(out, text, err) ||
        !buf_append_str(out, tail, err)) {
        out->len = before;
        return false;
    }
    return true;
}
