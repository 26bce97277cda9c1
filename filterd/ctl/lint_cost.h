/* lint_cost.h - measures the parts of a rule's cost; for lint.c alone. */
#ifndef FILTERD_CTL_LINT_COST_H
#define FILTERD_CTL_LINT_COST_H

#include "ctl/lint.h"
#include "ctl/lint_triggers.h"

/* Sets hits, matches, work and pcre2_share; when times are wanted also these, and hyperscan_share.
 */
MUST_CHECK bool lint_measure(struct lint *l, const struct triggers *t, struct lint_result *out,
                             struct error *err);
struct span lint_corpus(const struct lint *l);

#endif
