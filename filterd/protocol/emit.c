/* emit.c - writing of messages: with values in place of the pseudonyms that the request had, and what built events repeat. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "protocol/dialect.h"

/* --- values in place of pseudonyms --------------------------------------------------
 *
 * A text in pieces is restored as the stream releases it, after it was judged: what is held of it then can only be the beginning
 * of a pseudonym; arguments of calls behind their judgement. Every other string of the upstream is whole when its message is written, and is restored
 * there. Only what the upstream said is: a string that is set by anything else is not (node.is_said), so that nothing is restored twice. A
 * value may say what is a pseudonym, too. */

void restoring_set(struct translation *t)
{
    t->restores = t->frame.masking != NULL && masking_count(t->frame.masking) > 0;
}

/* What the upstream signed must go back to it as it came: it keeps the pseudonyms. */
static bool is_signed(const struct translation *t, struct span name)
{
    for (const char *const *signed_name = t->dialect->signed_names; signed_name != NULL && *signed_name != NULL; signed_name++) {
        if (span_is(name, *signed_name)) {
            return true;
        }
    }
    return false;
}

static struct span last_step(struct span path)
{
    size_t at = path.len;

    while (at > 0 && path.ptr[at - 1] != '/') {
        at--;
    }
    return span_slice(path, at, path.len);
}

static void count(struct translation *t, const struct restore_counts *counts)
{
    t->down.shown.restored.restored += counts->restored;
    t->down.shown.restored.withheld += counts->withheld;
    t->down.shown.restored.unknown += counts->unknown;
}

static struct restorer *restorer_of(struct translation *t, struct text *x, struct error *err)
{
    if (x->restorer == NULL) {
        x->restorer = malloc(sizeof(*x->restorer));
        if (x->restorer == NULL) {
            error_set(err, ERROR_NO_MEMORY, "answer: no memory for a text");
            return NULL;
        }
        restorer_init(x->restorer, t->frame.masking, RESTORE_GUESS, t->frame.policy->withheld);
    }
    return x->restorer;
}

bool text_restore(struct translation *t, struct text *x, bool is_end, struct span *text, struct error *err)
{
    if (!t->restores || is_signed(t, last_step(x->path))) {
        return true;
    }
    struct buf out CLEANUP(buf_deinit);
    struct restorer *r = restorer_of(t, x, err);
    buf_init(&out, 8 * t->event_max);
    if (r == NULL || !restorer_feed(r, *text, is_end, &out, err)) {
        return false;
    }
    count(t, &r->counts);
    r->counts = (struct restore_counts){0};
    return arena_copy(&t->memory, buf_span(&out), text, err);
}

void text_restore_free(struct text *x)
{
    if (x->restorer != NULL) {
        restorer_deinit(x->restorer);
        free(x->restorer);
        x->restorer = NULL;
    }
}

static bool restore(struct translation *t, enum restore_syntax syntax, struct span *text, struct restore_counts *counts,
                    struct error *err)
{
    struct buf out CLEANUP(buf_deinit);

    buf_init(&out, 8 * t->event_max);
    return restore_whole(t->frame.masking, syntax, t->frame.policy->withheld, *text, counts, &out, err) &&
           (counts->restored == 0 || arena_copy(&t->memory, buf_span(&out), text, err));
}

bool call_restore(struct translation *t, bool is_text, struct span *arguments, struct error *err)
{
    struct restore_counts counts = {0};

    if (!t->restores) {
        return true;
    }
    bool is_restored = restore(t, is_text ? RESTORE_TEXT : RESTORE_JSON, arguments, &counts, err);
    count(t, &counts);
    return is_restored;
}

bool value_restore(struct translation *t, struct span *text, struct error *err)
{
    struct restore_counts counts = {0};

    if (!t->restores || text->len == 0) {
        return true;
    }
    bool is_restored = restore(t, RESTORE_GUESS, text, &counts, err);
    count(t, &counts);
    return is_restored;
}

struct node *said_tree(struct translation *t, struct span json, struct error *err)
{
    struct node *root = tree_read(&t->memory, json, err);

    for (struct node *n = t->restores ? root : NULL; n != NULL; n = tree_next(root, n)) {
        n->is_said = n->kind == JSON_KIND_STRING;
    }
    return root;
}

/* What is left in texts and calls was counted with them. */
bool message_restore(struct translation *t, struct node *root, struct error *err)
{
    for (struct node *n = t->restores ? root : NULL; n != NULL; n = tree_next(root, n)) {
        struct restore_counts counts = {0};
        if (!n->is_said || is_signed(t, n->name)) {
            continue;
        }
        if (!restore(t, RESTORE_GUESS, &n->text, &counts, err)) {
            return false;
        }
        n->is_said = false;
        t->down.shown.restored.restored += counts.restored;
    }
    return true;
}

bool text_was_changed(const struct translation *t)
{
    return stream_action(t->stream) != ACTION_ALLOW || t->beside.has_changed_texts || t->down.shown.restored.restored > 0;
}

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
