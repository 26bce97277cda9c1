/* explain_classifier.h - what a classifier makes of a text for one rule: the places, their scores, what spoke for them. */
#ifndef FILTERD_CTL_EXPLAIN_CLASSIFIER_H
#define FILTERD_CTL_EXPLAIN_CLASSIFIER_H

#include "ctl/explain.h"

/* For a rule that a classifier judges; *n is the number of places that reach its threshold. */
MUST_CHECK bool explain_classifier(const struct explain_request *request, struct arena *arena, struct buf *out, size_t *n,
                                   struct error *err);

#endif
