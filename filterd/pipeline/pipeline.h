/* pipeline.h - the order of stages: find (views, scan, confirm, classify), decide, redact, find again in the redacted
 * text, supervise. A stage that finds something new is followed by another decision and redaction.
 *
 * pipeline_judge returns no error, because every error is a blocking verdict: the exchange then
 * has action BLOCK, rule "filterd.unjudged", and says why. It neither logs nor records; the caller
 * writes the record before it delivers. */
#ifndef FILTERD_PIPELINE_PIPELINE_H
#define FILTERD_PIPELINE_PIPELINE_H

#include "pipeline/worker.h"

void pipeline_judge(struct worker *w, struct exchange *x);
/* The same, but what is found is not counted: for what no record lists. */
void pipeline_judge_apart(struct worker *w, struct exchange *x);

/* All that might be a finding, whatever is around the text: matches that lack the words that they require, too. Nothing is
 * decided: the exchange has findings, in order, and stays blocked. */
MUST_CHECK bool pipeline_find(struct worker *w, struct exchange *x, struct error *err);

enum { REDACTION_ROUNDS_MAX = 5 };

/* The text redacted by what was found until then; in the worker's arena. */
struct redaction_round {
    struct span output;
    struct redacted_places places;
};

/* The beginning of a text that may go on, or all of it. */
struct open_text {
    bool is_whole;    /* in: the text has ended, so that nothing is open any more; limit and from mean nothing */
    size_t no_sooner; /* in: what lies before is settled already */
    size_t limit;     /* in: findings from here on are none yet */
    size_t known;     /* in: what lies before is read in every view as it will be */
    size_t from;      /* out: more text may still change what was found from here on, or a finding reaches over the
                         limit; SIZE_MAX: nothing */
    struct redacted_places places; /* out */
    struct redaction_round rounds[REDACTION_ROUNDS_MAX]; /* out: each has what was found in the one before it, too; the
                                                            last is the output */
    size_t n_rounds;
};

/* The same for an exchange of one channel that may go on; for stream.c. Counts no findings: it is asked about the
 * same text again and again. */
void pipeline_judge_open(struct worker *w, struct exchange *x, struct open_text *open);

/* Adds to the counter of the finding's rule. */
void finding_count(const struct snapshot *s, const struct finding *f);

/* Makes the verdict a block for a reason that is not in the text: nothing counts as judged. Both texts are static. */
void exchange_refuse(struct exchange *x, const char *rule, const char *reason);

/* Makes the verdict "could not be judged": for callers whose own part failed. `reason` is static. */
void exchange_fail(struct exchange *x, const char *reason);

#endif
