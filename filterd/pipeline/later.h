/* later.h - a second look at an exchange that was delivered already.
 *
 * A policy may let the answer go and have the supervisor asked all the same (`later`), or ask about a
 * share of what no supervisor was asked about (`sample`). Which ones is a matter of the exchange's id alone. */
#ifndef FILTERD_PIPELINE_LATER_H
#define FILTERD_PIPELINE_LATER_H

#include "pipeline/worker.h"

/* Of a judged exchange: true with *question, in the worker's arena, when it is to be asked about. */
bool later_is_due(struct worker *w, const struct exchange *x, struct span *question);
/* Puts the answer into an exchange that has policy, identity and id of the first, and no channels:
 * action and rule are what the policy would have said; `finding` and `channel` are storage for what it found. */
void later_judge(struct worker *w, struct exchange *x, const struct supervision *answer, struct channel *channel,
                 struct finding *finding);

#endif
