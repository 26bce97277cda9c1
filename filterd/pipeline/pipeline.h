/* pipeline.h - the order of stages: views, scan, confirm, decide, redact.
 *
 * pipeline_judge returns no error, because every error is a blocking verdict: the exchange then
 * has action BLOCK, rule "filterd.unjudged", and says why. It neither logs nor records; the caller
 * writes the record before it delivers. */
#ifndef FILTERD_PIPELINE_PIPELINE_H
#define FILTERD_PIPELINE_PIPELINE_H

#include "pipeline/worker.h"

void pipeline_judge(struct worker *w, struct exchange *x);

/* Makes the verdict "could not be judged": for callers whose own part failed. `reason` is static. */
void exchange_fail(struct exchange *x, const char *reason);

#endif
