#include "pipeline/later.h"

#include "pipeline/supervise.h"
#include "policy/supervisor.h"

/* The last bytes of an id are random. */
static bool is_sampled(const struct exchange *x, double share)
{
    uint32_t number = 0;

    memcpy(&number, x->id.bytes + sizeof(x->id.bytes) - sizeof(number), sizeof(number));
    return (double)number < share * 4294967296.0;
}

bool later_is_due(struct worker *w, const struct exchange *x, struct span *question)
{
    const struct policy_supervisor *s = x->policy->supervisor;
    struct exchange copy = *x;
    struct error err;

    if (s == NULL || x->supervision != NULL || x->unjudged_reason != NULL || x->action == ACTION_BLOCK || x->bytes == 0 ||
        !snapshot_may_supervise(x->snapshot, identity_tenant(&x->who))) {
        return false;
    }
    bool is_due = (s->is_later && supervise_is_triggered(x)) || is_sampled(x, s->sample);
    if (!is_due || !supervise_prepare(worker_arena(w), &copy, &err)) {
        return false;
    }
    *question = copy.question;
    return true;
}

void later_judge(struct worker *w, struct exchange *x, const struct supervision *answer, struct channel *channel,
                 struct finding *finding)
{
    x->supervision = answer;
    x->channels = channel;
    x->n_channels = 1;
    x->action = supervise_action(x, w, answer, finding);
    if (x->action != ACTION_ALLOW) {
        x->rule = finding->rule->id;
    }
    x->findings = finding;
    x->n_findings = answer->is_violation;
}
