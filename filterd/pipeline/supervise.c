/* supervise.c - what is asked of the supervisor, and what its answer means for the exchange. */
#include "judge/decide.h"
#include "pipeline/supervise.h"
#include "pipeline/worker_parts.h"
#include "policy/supervisor.h"
#include "text/utf8.h"

bool supervise_is_trigger(const struct policy *policy, const struct identity *who, const struct finding *f)
{
    const struct policy_supervisor *s = policy->supervisor;

    for (size_t k = 0; k < s->n_triggers && !f->is_excepted; k++) {
        const struct supervisor_trigger *t = &s->triggers[k];
        if ((!t->of_classifiers || f->source == FINDING_CLASSIFIER) && finding_meets(&t->when, who, f)) {
            return true;
        }
    }
    return false;
}

/* As confident as the trigger asks for. */
bool supervise_may_trigger(const struct policy *policy, const struct identity *who, const struct rule *rule)
{
    const struct policy_supervisor *s = policy->supervisor;

    for (size_t k = 0; k < s->n_triggers; k++) {
        const struct finding finding = {.rule = rule, .confidence = s->triggers[k].when.min_confidence};
        if (finding_meets(&s->triggers[k].when, who, &finding)) {
            return true;
        }
    }
    return false;
}

bool supervise_is_triggered(const struct exchange *x)
{
    bool is_triggered = x->policy->supervisor->is_always;

    for (size_t i = 0; i < x->n_findings && !is_triggered; i++) {
        is_triggered = supervise_is_trigger(x->policy, &x->who, &x->findings[i]);
    }
    return is_triggered;
}

bool supervise_may_ask(const struct snapshot *snapshot, const struct policy *policy, const struct identity *who)
{
    const struct policy_supervisor *s = policy->supervisor;

    return s != NULL && !s->is_later && (s->is_always || s->n_triggers > 0) &&
           snapshot_may_supervise(snapshot, identity_tenant(who));
}

/* What is blocked already cannot become stricter. */
bool supervise_applies(const struct exchange *x)
{
    return x->action != ACTION_BLOCK && (x->bytes > 0 || x->question.len > 0) &&
           supervise_may_ask(x->snapshot, x->policy, &x->who);
}

enum action supervise_action(const struct exchange *x, struct worker *w, const struct supervision *answer,
                             struct finding *finding)
{
    struct channel channel = {0};
    struct exchange y = *x;

    *finding = (struct finding){.source = FINDING_SUPERVISOR,
                                .rule = supervisor_rule((enum supervisor_category)answer->category),
                                .transform = "raw",
                                .confidence = answer->confidence};
    if (answer->outcome != SUPERVISION_ANSWERED || !answer->is_violation) {
        return ACTION_ALLOW;
    }
    if (w == NULL) {
        return ACTION_BLOCK;
    }
    y.channels = &channel;
    y.n_channels = 1;
    decide(&y, finding, 1, worker_finder(w)->regex);
    return y.action;
}

bool supervise_prepare(struct arena *a, struct exchange *x, struct error *err)
{
    size_t len = 0;

    for (size_t i = 0; i < x->n_channels; i++) {
        len += x->channels[i].output.len + 1;
    }
    char *text = arena_alloc(a, len, err);
    if (text == NULL) {
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < x->n_channels; i++) {
        struct span output = x->channels[i].output;
        if (output.len > 0) {
            memcpy(text + at, output.ptr, output.len);
        }
        at += output.len;
        text[at++] = '\n';
    }
    /* One byte for one byte, so that what is quoted from it has its place. */
    return utf8_repair(a, span_of(text, len - 1), &x->question, err);
}

static bool is_redacted(const struct channel *c)
{
    return c->output.ptr != c->text.ptr || c->output.len != c->text.len;
}

/* The range of the channel's text that [from, to) of its output comes from. */
static bool to_text(struct finder *f, struct exchange *x, uint32_t channel, const struct redaction_keys *keys,
                    struct supervision_range *range, struct error *err)
{
    struct redacted_places places;

    if (!is_redacted(&x->channels[channel])) {
        return true;
    }
    if (!redact_channel(f->arena, x, channel, keys, &places, err)) {
        return false;
    }
    redacted_to_text(&places, &range->from, &range->to);
    return true;
}

/* The part of the range that lies in one channel, whose output begins at `base` of the question. */
static bool clip(struct supervision_range whole, size_t base, size_t len, struct supervision_range *part)
{
    part->from = whole.from > base ? whole.from - base : 0;
    part->to = whole.to > base ? whole.to - base : 0;
    part->to = part->to < len ? part->to : len;
    return part->from < part->to;
}

static bool add_range(struct finder *f, struct exchange *x, const struct redaction_keys *keys,
                      struct supervision_range whole, struct finding_list *list, struct error *err)
{
    size_t base = 0;

    for (uint32_t i = 0; i < x->n_channels; i++) {
        struct supervision_range part;
        size_t len = x->channels[i].output.len;
        if (clip(whole, base, len, &part)) {
            if (!to_text(f, x, i, keys, &part, err)) {
                return false;
            }
            const struct finding finding = {
                .source = FINDING_SUPERVISOR,
                .rule = supervisor_rule((enum supervisor_category)x->supervision->category),
                .channel = i,
                .from = part.from,
                .to = part.to,
                .match_from = part.from,
                .view = VIEW_RAW,
                .transform = "raw",
                .confidence = x->supervision->confidence,
                .value = span_slice(x->channels[i].text, part.from, part.to),
            };
            if (!finding_list_add(f, list, &finding, err)) {
                return false;
            }
        }
        base += len + 1;
    }
    return true;
}

bool supervise_add_findings(struct finder *f, struct exchange *x, const struct redaction_keys *keys,
                            struct finding_list *list, struct error *err)
{
    for (size_t i = 0; x->supervision->is_violation && i < x->supervision->n_evidence; i++) {
        if (!add_range(f, x, keys, x->supervision->evidence[i], list, err)) {
            return false;
        }
    }
    finding_list_settle(list);
    return true;
}
