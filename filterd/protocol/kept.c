/* kept.c - a checkpoint of the client's side, so that output can be dropped.
 *
 * While a question about a message is pending, the events written for it are held in `kept`. If the
 * answer is allowed they are passed on; if it is blocked they are dropped, and the end of a blocked answer is written as if
 * the message had never arrived. The checkpoint stores the state shown to the client before the message.
 *
 * Invariants:
 *   - is_set: `kept` has everything written since the checkpoint, and none of it was sent.
 *   - A checkpoint is taken before a message, never while the answer is over; so dropping it makes the phase FLOWING.
 *   - The copy has exactly the state that the end of an answer reads: struct answer_shown, the parts with their held JSON,
 *     and the released length of each text. A dialect that adds state which its `close` reads must add it here.
 *   - A text opened since the checkpoint keeps its channel, which the stream has judged, but
 *     loses its row, because the client has not seen it; a part opened since is removed. */
#include "protocol/kept.h"

#include <stdlib.h>

#include "base/locked_pages.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/parts.h"
#include "protocol/texts.h"
#include "protocol/translation.h"

/* `parts` are shallow copies: what they hold is in `held`, in their order. */
struct checkpoint {
    bool is_set; /* what was kept since has not left */
    struct answer_shown shown;
    size_t n_texts, n_parts, parts_cap;
    struct part *parts;
    struct buf held;
};

void kept_free(struct translation *t)
{
    struct checkpoint *c = t->down.checkpoint;

    buf_deinit(&t->down.kept);
    if (c != NULL) {
        free(c->parts);
        buf_deinit(&c->held);
        free(c);
    }
}

static bool make_room(struct translation *t, struct error *err)
{
    if (t->down.checkpoint == NULL && (t->down.checkpoint = calloc(1, sizeof(*t->down.checkpoint))) != NULL) {
        buf_init_text(&t->down.checkpoint->held, 8 * t->event_max);
    }
    struct checkpoint *c = t->down.checkpoint;
    if (c != NULL && t->n_parts > c->parts_cap) {
        struct part *parts = realloc(c->parts, 2 * t->n_parts * sizeof(*parts));
        c->parts = parts != NULL ? parts : c->parts;
        c->parts_cap = parts != NULL ? 2 * t->n_parts : c->parts_cap;
    }
    return (c != NULL && t->n_parts <= c->parts_cap) ||
           error_set(err, ERROR_NO_MEMORY, "answer: no memory to wait with");
}

static bool checkpoint_take(struct translation *t, struct error *err)
{
    if (!make_room(t, err)) {
        return false;
    }
    struct checkpoint *c = t->down.checkpoint;
    c->shown = t->down.shown;
    c->n_texts = t->n_texts;
    c->n_parts = t->n_parts;
    buf_clear(&c->held);
    for (size_t i = 0; i < t->n_parts; i++) {
        c->parts[i] = *t->parts[i];
        if (!buf_append(&c->held, buf_span(&t->parts[i]->held), err)) {
            return false;
        }
    }
    for (size_t i = 0; i < t->n_texts; i++) {
        t->texts[i]->marked = t->texts[i]->released.len;
    }
    c->is_set = true;
    return true;
}

bool kept_waits(const struct translation *t)
{
    return t->down.checkpoint != NULL && t->down.checkpoint->is_set;
}

bool kept_pass_on(struct translation *t, struct buf *client, struct error *err)
{
    if (!buf_append(client, buf_span(&t->down.kept), err)) {
        return false;
    }
    buf_clear(&t->down.kept);
    if (kept_waits(t)) {
        stream_mark(t->stream); /* it has left, whatever blocks from here on */
        t->down.checkpoint->is_set = false;
    }
    return true;
}

bool kept_begin(struct translation *t, struct buf *client, struct error *err)
{
    if (kept_waits(t) && stream_waits(t->stream)) {
        return true;
    }
    return kept_pass_on(t, client, err) && checkpoint_take(t, err);
}

static bool restore_parts(struct translation *t, const struct checkpoint *c, struct error *err)
{
    struct span held = buf_span(&c->held);

    while (t->n_parts > c->n_parts) {
        struct part *p = t->parts[--t->n_parts];
        buf_deinit(&p->held);
        buf_deinit(&p->logprobs.held);
        free(p);
    }
    for (size_t i = 0; i < c->n_parts; i++) {
        struct part *p = t->parts[i];
        struct buf now = p->held;
        struct logprobs logprobs = p->logprobs; /* none wait in such a stream */
        size_t len = c->parts[i].held.len;
        *p = c->parts[i];
        p->held = now;
        p->logprobs = logprobs;
        buf_clear(&p->held);
        if (len > 0 && !buf_append(&p->held, span_slice(held, 0, len), err)) {
            return false;
        }
        held = span_slice(held, len, held.len);
    }
    return true;
}

bool kept_drop(struct translation *t, struct error *err)
{
    const struct checkpoint *c = t->down.checkpoint;

    if (!kept_waits(t)) {
        return true;
    }
    buf_clear(&t->down.kept);
    t->down.shown = c->shown;
    if (translation_is_over(t)) {
        translation_enter(t, TRANSLATION_FLOWING);
    }
    for (size_t i = 0; i < t->n_texts; i++) {
        struct text *x = t->texts[i];
        x->released.len = i < c->n_texts ? x->marked : 0;
        x->row = i < c->n_texts ? x->row : NULL; /* the client has not seen it begin */
    }
    t->down.checkpoint->is_set = false;
    return restore_parts(t, c, err);
}
