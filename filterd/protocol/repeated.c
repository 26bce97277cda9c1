/* repeated.c - events of a stream that differ from one before in nothing but a piece of text.
 *
 * Most events of an answer are such. What was found out about the first of them is true of the others: which ids they have and that these were
 * judged, what is dropped, how they are written. Only the text is new, and goes the way of every text.
 *
 * Invariants:
 *   - What is kept is of an event that the dialect took, of which nothing but the text was judged and nothing waits. It says as
 *     much of any event with the same bytes around the text.
 *   - Strings that are dropped may differ, too: some upstreams put random text into each event, so that its length says nothing.
 *   - An event that does not fit goes the common way, and nothing was done with it before. */

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/locked_pages.h"
#include "protocol/dialect.h"

enum {
    HOLES_MAX = 4,
    BYTES_MAX = 4096, /* around the text */
    VAIN_MAX = 16,    /* events that were kept and did not come again, before it is given up */
};

struct repeated {
    struct text *text; /* NULL: nothing is kept */
    size_t part;
    size_t n_holes, text_hole;
    size_t ends[HOLES_MAX]; /* where each hole is in `came` */
    struct buf came;        /* the event without what is between the quotes of its holes */
    struct buf wrote;       /* the same as it is written, with a hole for the text alone */
    size_t wrote_hole;
    enum stream_ending ending; /* what was said of the ends of parts, behind it */
    unsigned n_vain; /* since one came again */
};

void repeated_free(struct translation *t)
{
    struct repeated *r = t->up.repeated;

    if (r != NULL) {
        buf_deinit(&r->came);
        buf_deinit(&r->wrote);
        free(r);
    }
}

/* --- keeping ----------------------------------------------------------------------- */

/* A string without escapes is in the message itself. */
static bool is_hole(const struct message *m, const struct node *n)
{
    const uintptr_t from = (uintptr_t)m->text.ptr, at = (uintptr_t)n->text.ptr;

    return n->kind == JSON_KIND_STRING && n->text.len > 0 && at > from && at < from + m->text.len;
}

void repeated_look(struct translation *t, const struct message *m, struct repeated_look *out)
{
    struct node *leaf = t->dialect->only_text == NULL || t->restores || t->up.framer.kind != FRAMING_EVENTS ? NULL : t->dialect->only_text(t, m->root);
    const struct leaf_row *row = leaf == NULL ? NULL : leaf_find(t->dialect, m->root, leaf);
    bool is_alone = row != NULL && row->use == LEAF_TEXT && is_hole(m, leaf) && m->text.len <= BYTES_MAX;

    *out = (struct repeated_look){
        .leaf = is_alone ? leaf : NULL, .said = is_alone ? leaf->text : span_of("", 0), .n_others = t->beside.n_others, .out_at = t->down.out->len};
}

static bool add_hole(struct repeated *r, const struct message *m, struct span text, size_t *from, struct error *err)
{
    const size_t at = (size_t)(text.ptr - m->text.ptr);

    if (r->n_holes == HOLES_MAX || at < *from) {
        return error_set(err, ERROR_LIMIT, "answer: fewer strings expected");
    }
    if (!buf_append(&r->came, span_slice(m->text, *from, at), err)) {
        return false;
    }
    r->ends[r->n_holes++] = r->came.len;
    *from = at + text.len;
    return true;
}

/* As emit_event does. */
static bool write_around(const struct translation *t, const struct node *root, const struct node *leaf, struct repeated *r, struct error *err)
{
    const struct node *type = node_member(root, "type");
    bool is_named = t->dialect->has_event_names && node_is_string(type);

    return (!is_named || (buf_append_str(&r->wrote, "event: ", err) && buf_append(&r->wrote, type->text, err) &&
                          buf_append_char(&r->wrote, '\n', err))) &&
           buf_append_str(&r->wrote, "data: ", err) && tree_write_around(root, leaf, &r->wrote, &r->wrote_hole, err) &&
           buf_append_str(&r->wrote, "\n\n", err);
}

/* The event as leaves_judge makes it, of which nothing is unknown. False: it is not kept. */
static bool keep(struct translation *t, struct repeated *r, const struct message *m, struct span said, struct text **text,
                 struct error *err)
{
    struct node *root = tree_read(&t->memory, m->text, err), *leaf = NULL;
    size_t from = 0;

    if (root == NULL || !ids_recall(t, root, err)) {
        return false;
    }
    for (struct node *n = root, *next = NULL; n != NULL; n = next) {
        const struct leaf_row *row = n == root ? NULL : leaf_find(t->dialect, root, n);
        bool is_dropped = row != NULL && row->use == LEAF_DROP, is_said = n->text.ptr == said.ptr;
        next = is_dropped ? tree_skip(root, n) : tree_next(root, n);
        if (row != NULL && row->use == LEAF_TEXT && n->kind == JSON_KIND_STRING && !is_said) {
            return false;
        }
        if (is_said) {
            leaf = n;
            r->text_hole = r->n_holes;
        }
        if ((is_said || (is_dropped && is_hole(m, n))) && !add_hole(r, m, n->text, &from, err)) {
            return false;
        }
        if (is_dropped) {
            node_remove(n);
        } else if (row != NULL && row->use == LEAF_NULL) {
            node_set_null(n);
        }
    }
    if (leaf == NULL || !buf_append(&r->came, span_slice(m->text, from, m->text.len), err) ||
        !write_around(t, root, leaf, r, err)) {
        return false;
    }
    *text = text_open(t, root, leaf, err);
    return *text != NULL;
}

static bool write_like(const struct repeated *r, struct span text, struct buf *out, struct error *err)
{
    const struct span wrote = buf_span(&r->wrote);
    size_t before = out->len;

    bool is_written = buf_append(out, span_slice(wrote, 0, r->wrote_hole), err) && json_append_string(out, text, err) &&
                      buf_append(out, span_slice(wrote, r->wrote_hole, wrote.len), err);
    out->len = is_written ? out->len : before;
    return is_written;
}

/* What was written of this event is what would be written of one like it. */
static bool is_as_written(const struct translation *t, const struct repeated *r, const struct repeated_look *look)
{
    const struct span written = span_slice(buf_span(t->down.out), look->out_at, t->down.out->len);
    struct buf again CLEANUP(buf_deinit);
    struct error err;

    buf_init_text(&again, written.len + 1);
    return write_like(r, look->leaf->text, &again, &err) && span_equal(buf_span(&again), written);
}

static struct repeated *make(struct translation *t)
{
    struct repeated *r = t->up.repeated;

    if (r == NULL && (r = calloc(1, sizeof(*r))) != NULL) {
        buf_init_text(&r->came, BYTES_MAX);
        buf_init_text(&r->wrote, 2 * BYTES_MAX);
        t->up.repeated = r;
    }
    return r;
}

void repeated_keep(struct translation *t, const struct message *m, const struct repeated_look *look)
{
    bool is_common = look->leaf != NULL && t->beside.n_others == look->n_others && t->up.units == NULL && t->n_parts > 0 &&
                     t->down.out->len > look->out_at;
    struct repeated *r = is_common ? make(t) : NULL;
    struct error ignored;

    if (r == NULL || r->n_vain == VAIN_MAX) {
        return;
    }
    r->n_vain++;
    r->text = NULL;
    r->n_holes = 0;
    buf_clear(&r->came);
    buf_clear(&r->wrote);
    struct text *text;
    if (keep(t, r, m, look->said, &text, &ignored) && is_as_written(t, r, look)) {
        r->text = text;
        r->part = text->part;
        r->ending = t->up.ending;
    }
}

/* --- taking ------------------------------------------------------------------------ */

/* The end of what is in quotes and begins at `at`: its quote. False: it has none, or is empty, or no valid string. */
static bool find_quote(struct span text, size_t at, size_t *end)
{
    struct error ignored;
    bool has_escapes = false;

    for (*end = at; *end < text.len; *end += 2) {
        *end += json_plain_prefix(span_slice(text, *end, text.len));
        if (*end < text.len && text.ptr[*end] == '"') {
            return *end > at && (!has_escapes || json_validate(span_slice(text, at - 1, *end + 1), &ignored));
        }
        if (*end == text.len || text.ptr[*end] != '\\') {
            return false;
        }
        has_escapes = true;
    }
    return false;
}

/* Whether the event is like the one that is kept; *said: its text, with quotes and escapes. */
static bool is_like(const struct repeated *r, struct span text, struct span *said)
{
    const struct span came = buf_span(&r->came);
    size_t at = 0, from = 0;

    for (size_t i = 0; i <= r->n_holes; i++) {
        const struct span part = span_slice(came, from, i < r->n_holes ? r->ends[i] : came.len);
        if (text.len - at < part.len || memcmp(text.ptr + at, part.ptr, part.len) != 0) {
            return false;
        }
        at += part.len;
        from += part.len;
        if (i < r->n_holes) {
            size_t end;
            if (!find_quote(text, at, &end)) {
                return false;
            }
            *said = i == r->text_hole ? span_slice(text, at - 1, end + 1) : *said;
            at = end;
        }
    }
    return at == text.len;
}

bool repeated_take(struct translation *t, struct span text, bool *is_taken, struct error *err)
{
    struct repeated *r = t->up.repeated;
    struct span said = span_of("", 0), released;

    *is_taken = false;
    if (r == NULL || r->text == NULL || t->phase != TRANSLATION_FLOWING || !is_like(r, text, &said)) {
        return true;
    }
    struct part *p = part_find(t, r->part);
    bool has_ends = t->up.waiting.len > 0 || t->up.ending != r->ending; /* which an event that goes on decides */
    if (has_ends || p == NULL || p->is_finished || p->logprobs.held.len > 0 || r->text->row == NULL || r->text->has_ended) {
        return true;
    }
    const struct json_value string = {.kind = JSON_KIND_STRING, .raw = said};
    *is_taken = true;
    r->n_vain = 0;
    message_forget(t);
    p->is_open = p->has_text = true;
    if (!json_unquote(&t->memory, string, &said, err) || !text_feed(t, r->text, said, &released, err)) {
        return false;
    }
    if (released.len == 0) {
        return true;
    }
    t->down.shown.n_events++;
    return write_like(r, released, t->down.out, err);
}
