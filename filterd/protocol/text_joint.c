/* text_joint.c - a text of a stream that goes on where another one of its message ended.
 *
 * What clients join is judged as one text: a second stream gets the end of the texts before, as they came, and then the new one, until all
 * that began before the joint is final. Until then the new text waits, and nothing of it goes to its own channel. What was found over the
 * joint is redacted in the new text; what of it came before the joint has left.
 *
 * Invariants:
 *   - how the text comes in pieces makes no difference: what is final over the joint is known when the second stream holds nothing
 *     before it, and the stream's own channel begins behind it;
 *   - findings on one side of the joint do not count, as each text is judged by itself. */

#include <stdlib.h>

#include "base/locked_pages.h"
#include "enforce/redact.h"
#include "judge/decide.h"
#include "judge/path.h"
#include "pipeline/pipeline.h"
#include "protocol/dialect.h"

struct joint {
    struct stream *stream;
    struct stream_channel *in;
    size_t before; /* bytes before the joint */
    struct buf waiting;
};

/* --- what came before ------------------------------------------------------------------ */

/* A star is any step. */
static bool is_at(struct span path, struct span pattern)
{
    struct path_step step, wanted;

    while (path_next(&pattern, &wanted)) {
        if (!path_next(&path, &step) || (!span_is(wanted.text, "*") && !span_equal(wanted.text, step.text))) {
            return false;
        }
    }
    return path.len == 0;
}

static bool is_joined(const struct translation *t, const struct text *x)
{
    return t->dialect->joined.text != NULL && answer_is_stream(t) && is_at(x->path, span_str(t->dialect->joined.text));
}

/* Its last JOINT_BEFORE_MAX bytes, however it came. */
static bool remember(struct translation *t, struct span text, struct error *err)
{
    struct buf *before = &t->up.before;
    struct span end = span_slice(text, text.len > JOINT_BEFORE_MAX ? text.len - JOINT_BEFORE_MAX : 0, text.len);

    if (!buf_append(before, end, err)) {
        return false;
    }
    size_t dropped = before->len > JOINT_BEFORE_MAX ? before->len - JOINT_BEFORE_MAX : 0;
    if (dropped > 0) { /* an empty buffer has no bytes to move */
        memmove(before->data, before->data + dropped, before->len - dropped);
        before->len -= dropped;
    }
    return true;
}

/* From the beginning of a word on, where its beginning is gone. */
static struct span text_before(const struct translation *t)
{
    struct span before = buf_span(&t->up.before);
    size_t from = 0;

    if (before.len == JOINT_BEFORE_MAX) {
        const char *space = memchr(before.ptr, ' ', before.len / 2);
        from = space == NULL ? 0 : (size_t)(space - before.ptr);
    }
    return span_slice(before, from, before.len);
}

/* --- a joint ------------------------------------------------------------------------- */

void joint_free(struct joint *j)
{
    if (j != NULL) {
        stream_free(j->stream);
        buf_deinit(&j->waiting);
        free(j);
    }
}

static bool is_settled(const struct joint *j)
{
    return stream_action(j->stream) == ACTION_BLOCK || stream_channel_held(j->in) <= j->waiting.len;
}

/* Nothing that may go on: *x has no joint. */
static bool open_joint(struct translation *t, struct text *x, struct error *err)
{
    struct joint *j = calloc(1, sizeof(*j));

    if (j == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "answer: no memory for a text");
    }
    x->joint = j;
    buf_init_text(&j->waiting, t->event_max);
    const struct span before = text_before(t);
    j->before = before.len;
    j->stream = stream_new_beside(t->stream, err);
    j->in = j->stream == NULL ? NULL : stream_channel(j->stream, x->path, err);
    if (j->in == NULL) {
        return false;
    }
    buf_clear(&t->scratch);
    stream_feed(j->stream, j->in, t->worker, before, &t->scratch);
    if (is_settled(j)) {
        joint_free(j);
        x->joint = NULL;
    }
    return true;
}

/* Leaves the findings over the joint, in `c`: that part of the new text which they cover. */
static void leave_over_joint(const struct joint *j, struct span path, struct exchange *x, struct finding *left, struct channel *c)
{
    const struct finding *leader = NULL;
    size_t n = 0, end = 0;

    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (f->from < j->before && f->to > j->before) {
            bool acts = !f->is_shadow && f->action != ACTION_ALLOW;
            left[n] = *f;
            left[n].from = 0;
            left[n].to = f->to - j->before < j->waiting.len ? f->to - j->before : j->waiting.len;
            left[n].channel = 0;
            end = left[n].to > end ? left[n].to : end;
            leader = acts && (leader == NULL || finding_leads(f, leader)) ? f : leader;
            n++;
        }
    }
    *c = (struct channel){.path = path, .text = span_slice(buf_span(&j->waiting), 0, end), .judged = end};
    x->channels = c;
    x->n_channels = 1;
    x->findings = left;
    x->n_findings = n;
    x->action = leader == NULL ? ACTION_ALLOW : leader->action;
    x->rule = leader == NULL ? span_str("") : leader->rule->id;
}

static bool put_label(struct translation *t, const struct exchange *x, size_t *end, struct span *label, struct error *err)
{
    const struct finding *leader = NULL;
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, 512);
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (f->action == ACTION_REDACT && !f->is_shadow) {
            *end = f->to > *end ? f->to : *end;
            leader = leader == NULL || finding_leads(f, leader) ? f : leader;
        }
    }
    t->beside.has_changed_texts |= leader != NULL;
    return leader == NULL ||
           (redact_append_label(&text, leader->rule, err) && arena_copy(&t->memory, buf_span(&text), label, err));
}

/* What waited goes on to the text's own channel, without what was found over the joint. */
static bool settle(struct translation *t, struct text *x, struct span *in, struct span *label, struct error *err)
{
    struct joint *j = x->joint;
    struct exchange found;
    struct channel channel;
    size_t end = 0;

    stream_exchange(j->stream, &found);
    struct finding *left = arena_array(&t->memory, found.n_findings + 1, sizeof(*left), err);
    if (left == NULL) {
        return false;
    }
    const char *reason = found.unjudged_reason;
    leave_over_joint(j, x->path, &found, left, &channel);
    for (size_t i = 0; i < found.n_findings; i++) {
        finding_count(found.snapshot, &found.findings[i]);
    }
    aside_keep(t, &found);
    if (found.action == ACTION_BLOCK || reason != NULL) {
        stream_block(t->stream, reason != NULL ? span_str("filterd.unjudged") : found.rule, reason);
        return translation_stopped(t, err);
    }
    if (!put_label(t, &found, &end, label, err)) {
        return false;
    }
    bool is_copied = arena_copy(&t->memory, span_slice(buf_span(&j->waiting), end, j->waiting.len), in, err);
    joint_free(j);
    x->joint = NULL;
    return is_copied;
}

/* Takes the text, of which nothing goes on to its own channel yet. */
static bool feed(struct translation *t, struct joint *j, struct span in, bool is_end, struct error *err)
{
    if (!buf_append(&j->waiting, in, err)) {
        return false;
    }
    buf_clear(&t->scratch);
    stream_feed(j->stream, j->in, t->worker, in, &t->scratch);
    if (is_end) {
        stream_end(j->stream, j->in, t->worker, STREAM_COMPLETE, &t->scratch);
    }
    return true;
}

bool joint_feed(struct translation *t, struct text *x, struct span *in, bool is_end, struct span *label, struct error *err)
{
    const struct span text = *in;
    bool begins = !x->has_begun && text.len > 0;

    *label = span_of("", 0);
    if (!is_joined(t, x)) {
        return true;
    }
    x->has_begun = x->has_begun || begins;
    if ((begins && t->up.before.len > 0 && !open_joint(t, x, err)) || !remember(t, text, err)) {
        return false;
    }
    if (x->joint == NULL) {
        return true;
    }
    *in = span_of("", 0);
    return feed(t, x->joint, text, is_end, err) && ((!is_end && !is_settled(x->joint)) || settle(t, x, in, label, err));
}
