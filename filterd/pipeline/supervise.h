/* supervise.h - what is asked of the supervisor about an exchange, and what its answer means for the verdict.
 *
 * The supervisor is asked outside, by the caller of the pipeline; here the question is made and the answer read. */
#ifndef FILTERD_PIPELINE_SUPERVISE_H
#define FILTERD_PIPELINE_SUPERVISE_H

#include "judge/find.h"
#include "pipeline/worker.h"

/* Whether the supervisor may be asked about the exchange, which the rules have judged and redacted. It is asked when
 * something in it calls for that, too: supervise_is_triggered. */
bool supervise_applies(const struct exchange *x);
/* Whether it may be asked about any text of `who`, in a stream or whole. */
bool supervise_may_ask(const struct snapshot *snapshot, const struct policy *policy, const struct identity *who);
/* Whether a finding meets what the policy asks about; of a policy with a supervisor. */
bool supervise_is_triggered(const struct exchange *x);
/* Whether this one does; of a policy with a supervisor. */
bool supervise_is_trigger(const struct policy *policy, const struct identity *who, const struct finding *finding);
/* Whether any finding of the rule may. */
bool supervise_may_trigger(const struct policy *policy, const struct identity *who, const struct rule *rule);
/* What the policy says to the answer: allow for one without a violation. NULL for the worker: block. */
enum action supervise_action(const struct exchange *x, struct worker *w, const struct supervision *answer,
                             struct finding *finding);
/* Joins what would be delivered into x->question. */
MUST_CHECK bool supervise_prepare(struct arena *a, struct exchange *x, struct error *err);
/* Adds what the supervisor found to the list; `keys` as for redaction. */
MUST_CHECK bool supervise_add_findings(struct finder *f, struct exchange *x, const struct redaction_keys *keys,
                                       struct finding_list *list, struct error *err);

#endif
