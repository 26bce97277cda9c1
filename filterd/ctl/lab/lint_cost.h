/* lint_cost.h - measures what a rule costs, by itself and beside others; for lint.c alone. */
#ifndef FILTERD_CTL_LAB_LINT_COST_H
#define FILTERD_CTL_LAB_LINT_COST_H

#include "ctl/lab/lint.h"

/* Sets hits, matches, work and pcre2_share of out->rule; unless is_counted also its times. */
MUST_CHECK bool lint_measure(struct span corpus, bool is_counted, struct lint_result *out, struct error *err);

/* Sets hyperscan_share, from what lint_measure has set. */
MUST_CHECK bool lint_add(struct lint *l, struct lint_result *out, struct error *err);
const struct lint_options *lint_options_of(const struct lint *l);

bool lint_is_over(double share);

/* The processor clock of this thread. */
double lint_now_ns(void);

#endif
