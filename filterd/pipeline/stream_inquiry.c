/* stream_inquiry.c - the questions of one stream: what waits for the supervisor, in order, and the answers.
 *
 * Invariants:
 *   - n_answered <= n_units <= SUPERVISOR_QUESTIONS_MAX. `text` begins with the units n_answered to n_units, one behind
 *     the other with their lengths in `lens`; behind them, once keeps_rest is set, is the text of the last question.
 *   - keeps_rest and is_over are set once and stay. From keeps_rest on no unit is added: what comes is part of the last
 *     question. From is_over on nothing is kept or asked about.
 *   - No text is left out silently: what there is no room or memory for sets is_too_long, and a question without its
 *     whole text has the answer "too long", to which the policy's on_failure applies.
 *   - An answer can only add a block. What waited is delivered or dropped by the caller, who has kept it.
 *   - Threads: those of the stream, one at a time. A question is borrowed from `text` and copied by who asks, so that the
 *     supervisor's thread sees nothing of this. */
#include "pipeline/stream_inquiry.h"

#include <assert.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/locked_pages.h"
#include "pipeline/stream_gate.h"
#include "pipeline/stream_state.h"
#include "pipeline/supervise.h"
#include "policy/supervisor.h"

enum { TEXT_MAX = 1024 * 1024 }; /* no supervisor takes more */

struct stream_inquiry {
    const struct stream_options *options;
    enum hold_unit hold;
    struct buf text; /* of the units that wait, in their order; then of all that is kept for the last question */
    size_t lens[SUPERVISOR_QUESTIONS_MAX];
    struct supervision_unit units[SUPERVISOR_QUESTIONS_MAX];
    unsigned n_units, n_answered;
    bool keeps_rest; /* all that comes is kept for the last question */
    bool is_grey;    /* something in that calls for it */
    bool is_too_long, is_over, has_result;
    struct supervision_unit rest; /* where it begins */
    struct supervision result;
};

bool stream_inquiry_new(const struct stream_options *o, struct stream_inquiry **out, struct error *err)
{
    bool waits = !o->is_asked_elsewhere && supervise_may_ask(o->snapshot, o->policy, &o->who) &&
                 o->policy->supervisor->hold != HOLD_NONE;

    *out = NULL;
    if (!waits) {
        return true;
    }
    struct stream_inquiry *q = calloc(1, sizeof(*q));
    if (q == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "stream: no memory");
    }
    buf_init_text(&q->text, TEXT_MAX);
    q->options = o;
    q->hold = o->policy->supervisor->hold;
    q->keeps_rest = q->hold == HOLD_ALL;
    q->is_grey = o->policy->supervisor->is_always;
    *out = q;
    return true;
}

void stream_inquiry_free(struct stream_inquiry *q)
{
    if (q != NULL) {
        buf_deinit(&q->text);
        free(q);
    }
}

bool stream_inquiry_has_units(const struct stream_inquiry *q)
{
    return q != NULL && !q->is_over && q->hold != HOLD_ALL;
}

void stream_inquiry_stop(struct stream_inquiry *q)
{
    if (q != NULL) {
        q->is_over = true;
        buf_deinit(&q->text);
    }
}

void stream_inquiry_show(const struct stream_inquiry *q, struct exchange *x)
{
    if (q != NULL && q->has_result) {
        x->supervision = &q->result;
        x->units = q->units;
        x->n_units = q->n_answered;
    }
}

/* --- what is asked about --------------------------------------------------------- */

static void keep(struct stream_inquiry *q, struct span text)
{
    struct error err;

    q->is_too_long = q->is_too_long || !buf_append(&q->text, text, &err);
}

/* All from here on is one question. */
static void keep_rest(struct stream_inquiry *q, const struct supervision_unit *from)
{
    q->keeps_rest = q->is_grey = true;
    q->rest = *from;
    q->rest.is_rest = true;
}

/* A question whose text is kept next. One too many begins the rest. */
static void open_question(struct stream_inquiry *q, const struct supervision_unit *unit, size_t len)
{
    if (q->n_units + 1 >= q->options->policy->supervisor->questions || len > TEXT_MAX - q->text.len) {
        keep_rest(q, unit);
        return;
    }
    assert(q->n_units < SUPERVISOR_QUESTIONS_MAX);
    q->units[q->n_units] = *unit;
    q->lens[q->n_units++] = len;
}

static bool is_blank(struct span text)
{
    size_t i = 0;

    while (i < text.len && ascii_is(text.ptr[i], ASCII_SPACE)) {
        i++;
    }
    return i == text.len;
}

static void take_unit(struct stream_inquiry *q, const struct stream_channel *c, const struct stream_gate_unit *unit)
{
    const struct supervision_unit place = {
        .channel = c->index, .from = unit->from, .to = unit->from + unit->text.len};
    bool is_due = (unit->is_grey || q->options->policy->supervisor->is_always) && !is_blank(unit->text);

    if (!q->keeps_rest && is_due) {
        open_question(q, &place, unit->context.len + unit->text.len);
        keep(q, unit->context);
        keep(q, unit->text);
    } else if (q->keeps_rest) {
        keep(q, unit->text);
    }
}

static bool take_units(struct stream_inquiry *q, struct stream_channel *c, bool is_end, struct buf *out,
                       struct error *err)
{
    struct stream_gate_unit unit;

    while (stream_gate_next(c->gate, is_end, &unit)) {
        take_unit(q, c, &unit);
        if (!buf_append(out, unit.text, err)) {
            return false;
        }
    }
    return true;
}

bool stream_inquiry_take(struct stream_inquiry *q, struct stream_channel *c, const struct stream_step *step, size_t base,
                         bool is_end, size_t before, struct buf *out, struct error *err)
{
    struct span output = out->len > before ? span_slice(buf_span(out), before, out->len) : span_of("", 0);

    if (q == NULL || q->is_over) {
        return true;
    }
    if (q->hold == HOLD_ALL) {
        q->is_grey = q->is_grey || stream_gate_step_is_grey(q->options, step);
        keep(q, output);
        return true;
    }
    if (c->gate == NULL) {
        c->gate = stream_gate_new(q->hold, c->window.max, err);
    }
    if (c->gate == NULL || !stream_gate_add(c->gate, q->options, step, base, output, err)) {
        return false;
    }
    out->len = before;
    return take_units(q, c, is_end, out, err);
}

static bool is_blank_part(const struct exchange *part)
{
    size_t i = 0;

    while (i < part->n_channels && is_blank(part->channels[i].output)) {
        i++;
    }
    return i == part->n_channels;
}

void stream_add_part(struct stream *s, const struct exchange *part)
{
    static const struct supervision_unit place = {.channel = SUPERVISION_BESIDE};
    struct stream_inquiry *q = s->inquiry;
    size_t len = 0;

    if (q == NULL || q->is_over) {
        return;
    }
    bool is_grey = supervise_is_triggered(part);
    for (size_t i = 0; i < part->n_channels; i++) {
        len += part->channels[i].output.len + 1;
    }
    if (!q->keeps_rest) {
        if (!is_grey || is_blank_part(part)) {
            return;
        }
        open_question(q, &place, len);
    }
    q->is_grey = q->is_grey || is_grey;
    for (size_t i = 0; i < part->n_channels; i++) {
        keep(q, part->channels[i].output);
        keep(q, span_str("\n"));
    }
}

/* --- asking ---------------------------------------------------------------------- */

bool stream_is_supervised(const struct stream *s)
{
    return s->inquiry != NULL && !s->inquiry->is_over;
}

bool stream_asks(const struct stream *s)
{
    return stream_is_supervised(s) && s->inquiry->n_answered < s->inquiry->n_units;
}

bool stream_waits(const struct stream *s)
{
    return stream_asks(s) || (stream_is_supervised(s) && s->inquiry->keeps_rest);
}

bool stream_waits_whole(const struct stream *s)
{
    return stream_is_supervised(s) && s->inquiry->hold == HOLD_ALL;
}

size_t stream_question_room(const struct stream *s)
{
    return s->inquiry == NULL ? 0 : s->inquiry->text.cap;
}

void stream_wait_whole(struct stream *s)
{
    if (stream_is_supervised(s)) {
        assert(s->inquiry->n_units == 0 && s->inquiry->text.len == 0);
        s->inquiry->hold = HOLD_ALL;
        s->inquiry->keeps_rest = true;
    }
}

bool stream_ask(struct stream *s, struct exchange *x)
{
    static const struct supervision too_long = {.outcome = SUPERVISION_TOO_LONG};
    struct stream_inquiry *q = s->inquiry;

    if (!stream_waits(s)) {
        return false;
    }
    stream_exchange(s, x);
    x->question = buf_span(&q->text);
    if (stream_asks(s)) {
        x->question.len = q->lens[q->n_answered];
    } else if (!q->is_grey || x->question.len == 0) {
        stream_inquiry_stop(q);
        return false;
    }
    /* Of a unit that fitted, too, where there was no memory for it. */
    if (q->is_too_long && (!stream_asks(s) || x->question.len > q->text.len)) {
        stream_take_answer(s, NULL, &too_long);
        return false;
    }
    return true;
}

/* --- answers --------------------------------------------------------------------- */

static void note_unit(struct stream_inquiry *q, const struct supervision *answer)
{
    struct supervision_unit *unit = &q->units[q->n_answered];

    assert(q->n_answered <= q->n_units && q->n_answered < SUPERVISOR_QUESTIONS_MAX);
    if (q->n_answered == q->n_units) {
        *unit = q->rest;
        q->n_units++;
    }
    q->n_answered++;
    unit->outcome = answer->outcome;
    unit->is_violation = answer->is_violation;
    unit->category = answer->category;
    unit->confidence = answer->confidence;
    unit->latency_ns = answer->latency_ns;
    unit->is_cached = answer->is_cached;
}

/* Takes away the text of the unit that was answered first of those that waited. */
static void forget_unit(struct stream_inquiry *q)
{
    size_t len = q->lens[q->n_answered - 1];

    len = len < q->text.len ? len : q->text.len;
    if (len > 0) {
        memmove(q->text.data, q->text.data + len, q->text.len - len);
        q->text.len -= len;
    }
}

static int weight(const struct supervision *answer)
{
    return answer->outcome != SUPERVISION_ANSWERED ? 1 : answer->is_violation ? 2 : 0;
}

/* Blocks when the policy says so. */
static void follow_answer(struct stream *s, struct worker *w, const struct supervision *answer)
{
    struct finding finding;
    struct exchange x;

    stream_exchange(s, &x);
    if (answer->outcome != SUPERVISION_ANSWERED) {
        if (x.policy->supervisor->on_failure == ACTION_BLOCK && !x.policy->is_shadow) {
            stream_block(s, span_str("filterd.unjudged"), supervision_outcome_reason(answer->outcome));
        }
    } else if (supervise_action(&x, w, answer, &finding) != ACTION_ALLOW) {
        /* A passage that has been put together cannot be taken out: redact is block. */
        stream_block(s, supervisor_rule((enum supervisor_category)answer->category)->id, NULL);
    }
}

void stream_take_answer(struct stream *s, struct worker *w, const struct supervision *answer)
{
    struct stream_inquiry *q = s->inquiry;
    bool was_blocked = stream_action(s) == ACTION_BLOCK;
    bool is_unit = q->n_answered < q->n_units;

    if (q->hold != HOLD_ALL) {
        note_unit(q, answer);
    }
    follow_answer(s, w, answer);
    if (is_unit) {
        forget_unit(q);
    } else {
        stream_inquiry_stop(q); /* it was about all that was left */
    }
    bool decided = !was_blocked && stream_action(s) == ACTION_BLOCK;
    if (decided || !q->has_result || weight(answer) >= weight(&q->result)) {
        q->result = *answer;
    }
    q->has_result = true;
}
