/* lint_corpus.h - text to measure rules on, when none is given. */
#ifndef FILTERD_CTL_LAB_LINT_CORPUS_H
#define FILTERD_CTL_LAB_LINT_CORPUS_H

#include "base/buf.h"
#include "policy/rule_set.h"

/* Appends LINT_CORPUS_BYTES and a little more: sentences of ordinary words and a few numbers in no
 * order that means anything; among them, evenly spread, the built-in samples and examples of the
 * rules, of as many as there is room for. About as rich in what rules look for as answers of models
 * are, which hold next to nothing of it. The same for the same rules, on every machine. */
enum {
    LINT_CORPUS_BYTES = 2 * 1024 * 1024,
    LINT_SAMPLES_EVERY = 512 * 1024,
    LINT_EXAMPLE_EVERY = 64 * 1024
};
MUST_CHECK bool lint_corpus_make(const struct rule_set *rules, struct buf *out, struct error *err);

#endif
