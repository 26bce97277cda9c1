/* lint.h - what one rule costs on a corpus, measured by itself, and what makes it dear. */
#ifndef FILTERD_CTL_LINT_H
#define FILTERD_CTL_LINT_H

#include "ctl/session.h"

enum { LINT_LITERAL_MIN = 3, LINT_LEAD_MAX = 256 };

struct lint_result {
    const struct rule *rule;
    double trigger_ns, total_ns; /* per KiB of corpus: Hyperscan alone; with PCRE2 behind it */
    uint64_t hits, matches;      /* of the triggers; of the patterns within their boundary */
    char reasons[400];           /* "; " between them; empty when there is nothing to say */
    bool is_flagged;
};

/* Measures the rule on the raw text of the corpus, which is valid UTF-8. */
MUST_CHECK bool lint_rule(const struct rule *rule, struct span corpus, struct lint_result *out,
                          struct error *err);

#endif
