/* refuse.c - verdicts that are not made by judging, and what is counted of those that are. */
#include "pipeline/pipeline.h"

void finding_count(const struct snapshot *s, const struct finding *f)
{
    if (f->source == FINDING_SUPERVISOR || f->source == FINDING_SYSTEM_PROMPT) {
        return; /* their rules are in no set; the service counts the supervisor's answers */
    }
    uint32_t rule = rule_set_index(s->rules, f->rule);

    (void)atomic_fetch_add_explicit(&s->rules->findings[rule], 1, memory_order_relaxed);
}

void exchange_refuse(struct exchange *x, const char *rule, const char *reason)
{
    x->action = ACTION_BLOCK;
    x->rule = span_str(rule);
    x->unjudged_reason = reason;
    x->findings = NULL;
    x->n_findings = 0;
    x->judged = 0;
    for (size_t i = 0; i < x->n_channels; i++) {
        x->channels[i].output = (struct span){0};
        x->channels[i].judged = 0;
    }
    x->notice = x->policy != NULL ? x->policy->notice : span_str("This answer was withheld by policy.");
}

void exchange_fail(struct exchange *x, const char *reason)
{
    exchange_refuse(x, "filterd.unjudged", reason);
}
