#include "pipeline/stream_unit.h"

#include "judge/classify.h"

bool stream_unit_is_used(const struct policy *policy)
{
    return policy->has_classifiers && policy->hold != HOLD_NONE;
}

void stream_unit_hold(struct stream_channel *c, const struct policy *policy, struct span text, struct hold *hold)
{
    size_t from = c->unit - c->base, len = 1;

    if (!stream_unit_is_used(policy)) {
        return;
    }
    while (len > 0 && from < text.len) {
        len = classify_unit(policy->hold, span_slice(text, from, text.len), false);
        from += len;
    }
    c->unit = c->base + from;
    if (from < hold->to) {
        *hold = (struct hold){.to = from, .pattern = HOLD_VIEW};
    }
}

bool stream_unit_is_place(const struct stream_channel *c, const struct policy *policy)
{
    return !stream_unit_is_used(policy) || c->frontier == c->unit;
}
