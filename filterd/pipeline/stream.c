#include "pipeline/stream.h"

#include <stdlib.h>

#include "base/locked_pages.h"
#include "decision_log/value_token.h"
#include "judge/decide.h"
#include "judge/hold.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream_gate.h"
#include "pipeline/stream_state.h"

enum {
    FINDINGS_MAX = 1024, /* kept for the record; more are counted only */
    PATH_MAX_BYTES = 1024,
    PART_MAX = 16 * 1024,         /* of a chunk that is looked at at once */
    WINDOW_SPARE = 4 * PART_MAX,
};

static const char unjudged[] = "filterd.unjudged";

void stream_block(struct stream *s, struct span rule, const char *reason)
{
    struct error err;

    if (s->action == ACTION_BLOCK) {
        return;
    }
    s->action = ACTION_BLOCK;
    s->rule = stream_keep(s, &rule, &err) ? rule : span_str(unjudged);
    s->reason = reason;
    s->notice = s->options.policy->notice;
    for (size_t i = 0; i < s->n_channels; i++) {
        struct stream_channel *c = s->channels[i];
        c->frontier = c->base + c->window.len;
        buf_deinit(&c->window);
        /* What was kept since the mark is dropped. */
        c->released = stream_is_supervised(s) && s->options.can_wait ? c->marked : stream_channel_released(c);
        stream_gate_free(c->gate);
        c->gate = NULL;
    }
    stream_inquiry_stop(s->inquiry);
}

/* --- channels ----------------------------------------------------------------- */

static bool make_room(struct stream *s)
{
    if (s->n_channels < s->channels_cap) {
        return true;
    }
    size_t cap = s->channels_cap == 0 ? 1 : s->channels_cap * 2; /* most streams have one */
    struct stream_channel **channels = realloc(s->channels, cap * sizeof(struct stream_channel *));
    s->channels = channels != NULL ? channels : s->channels;
    struct channel *shown = realloc(s->shown, cap * sizeof(*shown));
    s->shown = shown != NULL ? shown : s->shown;
    s->channels_cap = channels != NULL && shown != NULL ? cap : s->channels_cap;
    return s->n_channels < s->channels_cap;
}

static struct stream_channel *open_channel(struct stream *s, struct span path, struct error *err)
{
    bool has_room = s->n_channels < STREAM_CHANNELS_MAX && path.len <= PATH_MAX_BYTES;

    if (!has_room || !make_room(s) || !stream_keep(s, &path, err)) {
        error_set(err, has_room ? ERROR_NO_MEMORY : ERROR_LIMIT, "stream: no room for a channel");
        return NULL;
    }
    struct stream_channel *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "stream: no memory");
        return NULL;
    }
    c->path = path;
    c->index = (uint32_t)s->n_channels;
    c->holder = HOLD_VIEW;
    buf_init_text(&c->window, s->options.hold_max + 4 * s->window.reach + WINDOW_SPARE);
    s->channels[s->n_channels++] = c;
    return c;
}

struct stream_channel *stream_channel_apart(struct stream *s, struct span path, struct error *err)
{
    struct stream_channel *c = open_channel(s, path, err);

    if (c == NULL) {
        stream_block(s, span_str(unjudged), err->kind == ERROR_LIMIT ? "limit reached" : "out of memory");
        return NULL;
    }
    c->is_apart = true;
    return c;
}

struct stream_channel *stream_channel(struct stream *s, struct span path, struct error *err)
{
    for (size_t i = 0; i < s->n_channels; i++) {
        if (!s->channels[i]->is_apart && span_equal(s->channels[i]->path, path)) {
            return s->channels[i];
        }
    }
    struct stream_channel *c = stream_channel_apart(s, path, err);
    if (c != NULL) {
        c->is_apart = false;
    }
    return c;
}

/* --- findings ----------------------------------------------------------------- */

static bool keep_finding(struct stream *s, const struct finding *f)
{
    if (s->n_findings == FINDINGS_MAX) {
        return true;
    }
    if (s->n_findings == s->findings_cap) {
        size_t cap = s->findings_cap == 0 ? 8 : s->findings_cap * 2;
        struct finding *findings = realloc(s->findings, cap * sizeof(*findings));
        if (findings == NULL) {
            return false;
        }
        s->findings = findings;
        s->findings_cap = cap;
    }
    s->findings[s->n_findings++] = *f;
    return true;
}

static void follow(struct stream *s, const struct finding *f)
{
    bool acts = !f->is_shadow && f->action != ACTION_ALLOW;
    bool leads = !s->has_leader || f->action < s->leader.action ||
                 (f->action == s->leader.action && finding_leads(f, &s->leader));

    if (acts && leads) {
        s->leader = *f;
        s->has_leader = true;
    }
}

/* What its policy wants sealed of a finding is kept while its text is still there. */
static bool keep_original(struct stream *s, const struct stream_channel *c, size_t base, const struct stream_step *step,
                          const struct finding *f)
{
    struct error err;

    return originals_keep(&s->originals, s->options.policy->seal, f, &step->channel, c->index, base, &err);
}

/* The value's token for the record, while the value is still there. */
static bool set_token(struct stream *s, const struct stream_step *step, struct finding *f)
{
    struct span value = f->value.len > 0 ? f->value : span_slice(step->channel.text, f->from, f->to);
    struct value_token token;
    struct error err;

    if (s->options.token_keys == NULL || s->n_findings == FINDINGS_MAX) {
        return true;
    }
    if (!value_token_make(s->options.token_keys, value, &token, &err)) {
        return false;
    }
    f->token = span_str(token.text);
    return stream_keep(s, &f->token, &err);
}

static bool take_finding(struct stream *s, const struct stream_channel *c, size_t base, struct finding f)
{
    f.channel = c->index;
    f.from += base;
    f.to += base;
    f.value = (struct span){0};
    if (!s->options.is_uncounted) {
        finding_count(s->options.snapshot, &f);
    }
    follow(s, &f);
    return keep_finding(s, &f);
}

/* False when one of them could not be kept. */
static bool take_findings(struct stream *s, const struct stream_channel *c, size_t base, const struct stream_step *step)
{
    bool are_kept = true;

    for (size_t i = 0; i < step->judged.n_findings; i++) {
        struct finding f = step->judged.findings[i];
        if (f.from >= step->from && f.from < step->to) {
            are_kept = keep_original(s, c, base, step, &f) && set_token(s, step, &f) && take_finding(s, c, base, f) && are_kept;
        }
    }
    return (step->cut_off.rule == NULL || (keep_original(s, c, base, step, &step->cut_off) &&
                                           take_finding(s, c, base, step->cut_off))) && are_kept;
}

static void decide_anew(struct stream *s)
{
    if (!s->has_leader) {
        return;
    }
    if (s->leader.action == ACTION_BLOCK) {
        stream_block(s, s->leader.rule->id, NULL);
    } else {
        s->action = ACTION_REDACT;
        s->rule = s->leader.rule->id;
    }
}

/* What the step releases is disclosed. */
static void settle_spending(struct stream *s, const struct stream_step *step)
{
    if (s->window.spending == NULL) {
        return;
    }
    if (s->action == ACTION_BLOCK) {
        spending_withdraw(s->window.spending);
    } else if (!step->is_judged) {
        spending_rewind(s->window.spending);
    } else {
        spending_commit(s->window.spending);
    }
}

/* What could not be recorded is not released. */
static void step_channel(struct stream *s, struct stream_channel *c, struct worker *w, enum stream_event event,
                         struct buf *out)
{
    struct stream_step step;
    struct error err;
    size_t base = c->base, before = out->len, released = c->released;

    stream_channel_step(c, &s->window, w, event, &step, out);
    if (step.is_judged && step.failure == NULL && !take_findings(s, c, base, &step)) {
        step.failure = "out of memory";
    }
    if (step.may_move && step.failure == NULL && !stream_channel_move(c, s->window.reach, step.is_plain, &err)) {
        step.failure = "out of memory";
    }
    if (step.failure != NULL) {
        out->len = before;
        c->released = released;
        stream_block(s, span_str(unjudged), step.failure);
    } else if (step.is_judged) {
        decide_anew(s);
    }
    settle_spending(s, &step);
    if (s->action != ACTION_BLOCK &&
        !stream_inquiry_take(s->inquiry, c, &step, base, event != STREAM_EVENT_CHUNK, before, out, &err)) {
        out->len = before;
        stream_block(s, span_str(unjudged), err.kind == ERROR_LIMIT ? "limit reached" : "out of memory");
    }
}

/* --- feeding ------------------------------------------------------------------ */

static void feed_part(struct stream *s, struct stream_channel *c, struct worker *w, struct span part, struct buf *out)
{
    struct error err;

    if (!buf_reserve_tight(&c->window, part.len, &err) || !buf_append(&c->window, part, &err)) {
        stream_block(s, span_str(unjudged), "limit reached");
        return;
    }
    step_channel(s, c, w, STREAM_EVENT_CHUNK, out);
    size_t held = stream_channel_held(c);
    s->held_max = held > s->held_max ? held : s->held_max;
    if (held > s->options.hold_max && s->action != ACTION_BLOCK) {
        stream_block(s, span_str(unjudged), "limit reached");
    }
}

/* A long chunk goes in by parts, so that what may be held bounds the window and not what comes at once. One that blocks
 * releases nothing, whichever of its parts it was. */
void stream_feed(struct stream *s, struct stream_channel *c, struct worker *w, struct span chunk, struct buf *out)
{
    size_t before = out->len, released = stream_channel_released(c);

    if (s->action == ACTION_BLOCK || c->has_ended) {
        return;
    }
    c->taken += chunk.len;
    if (stream_taken(s) > s->options.text_max) {
        stream_block(s, span_str(unjudged), "limit reached");
        return;
    }
    for (size_t at = 0; at < chunk.len && s->action != ACTION_BLOCK; at += PART_MAX) {
        size_t end = chunk.len - at < PART_MAX ? chunk.len : at + PART_MAX;
        feed_part(s, c, w, span_slice(chunk, at, end), out);
    }
    if (s->action == ACTION_BLOCK) {
        out->len = before;
        c->released = c->released < released ? c->released : released;
    }
}

void stream_end(struct stream *s, struct stream_channel *c, struct worker *w, enum stream_ending how, struct buf *out)
{
    if (s->action == ACTION_BLOCK || c->has_ended) {
        return;
    }
    step_channel(s, c, w, how == STREAM_COMPLETE ? STREAM_EVENT_END : STREAM_EVENT_CUT_OFF, out);
    c->has_ended = true;
    if (s->action != ACTION_BLOCK) {
        c->base = c->frontier;
        buf_deinit(&c->window);
    }
}

void stream_mark(struct stream *s)
{
    for (size_t i = 0; i < s->n_channels; i++) {
        s->channels[i]->marked = stream_channel_released(s->channels[i]);
    }
}
