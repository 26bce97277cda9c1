/* stream_exchange.c - what a stream says of itself. */
#include "judge/hold.h"
#include "pipeline/stream_gate.h"
#include "pipeline/stream_state.h"

enum action stream_action(const struct stream *s)
{
    return s->action;
}

struct span stream_notice(const struct stream *s)
{
    return s->notice;
}

static size_t held_by_rules(const struct stream_channel *c)
{
    return c->base + c->window.len > c->frontier ? c->base + c->window.len - c->frontier : 0;
}

size_t stream_channel_held(const struct stream_channel *c)
{
    return held_by_rules(c) + stream_gate_waiting(c->gate);
}

const struct rule *stream_channel_holder(const struct stream *s, const struct stream_channel *c)
{
    const struct rule_set *rules = s->options.snapshot->rules;

    if (held_by_rules(c) == 0 || c->holder == HOLD_VIEW) {
        return NULL;
    }
    return &rules->rules[rules->rule_of_pattern[c->holder]];
}

struct originals *stream_originals(struct stream *s)
{
    return &s->originals;
}

static size_t sum(const struct stream *s, size_t (*of)(const struct stream_channel *c))
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_channels; i++) {
        n += of(s->channels[i]);
    }
    return n;
}

static size_t taken_of(const struct stream_channel *c)
{
    return c->taken;
}

size_t stream_channel_released(const struct stream_channel *c)
{
    return c->released - stream_gate_waiting(c->gate);
}

size_t stream_held(const struct stream *s)
{
    return sum(s, stream_channel_held);
}

size_t stream_held_max(const struct stream *s)
{
    return s->held_max;
}

size_t stream_taken(const struct stream *s)
{
    return sum(s, taken_of);
}

size_t stream_released(const struct stream *s)
{
    return sum(s, stream_channel_released);
}

static size_t marked_of(const struct stream_channel *c)
{
    return c->marked;
}

size_t stream_left(const struct stream *s)
{
    return sum(s, stream_waits(s) ? marked_of : stream_channel_released);
}

void stream_exchange(const struct stream *s, struct exchange *out)
{
    *out = (struct exchange){.snapshot = s->options.snapshot,
                             .system_prompt = s->options.system_prompt,
                             .policy = s->options.policy,
                             .who = s->options.who,
                             .id = s->options.id,
                             .now_ns = s->options.now_ns,
                             .masking = s->options.masking,
                             .spending = s->window.spending,
                             .channels = s->shown,
                             .n_channels = s->n_channels,
                             .action = s->action,
                             .rule = s->rule,
                             .notice = s->notice,
                             .findings = s->findings,
                             .n_findings = s->n_findings,
                             .unjudged_reason = s->reason,
                             .is_unclassified = s->options.policy->has_classifiers && s->options.policy->hold == HOLD_NONE,
                             .originals = s->options.policy->seal != NULL ? &s->originals : NULL,
                             .is_part = true};
    stream_inquiry_show(s->inquiry, out);
    for (size_t i = 0; i < s->n_channels; i++) {
        const struct stream_channel *c = s->channels[i];
        size_t judged = c->taken - held_by_rules(c);
        s->shown[i] = (struct channel){.path = c->path,
                                       .text = {.len = c->taken},
                                       .output = {.len = stream_channel_released(c)},
                                       .judged = s->action == ACTION_BLOCK && s->reason != NULL ? 0 : judged};
        out->bytes += c->taken;
        out->judged += s->shown[i].judged;
    }
}
