/* packs.h - the shipped policy over a chosen number of rules. */
#ifndef FILTERD_BENCH_PACKS_H
#define FILTERD_BENCH_PACKS_H

#include "pipeline/pipeline.h"

/* The first of bench/first_rules.h, all shipped rules when n_first is 0; and some tokens that nobody issues. Ends the
 * process with a message when it cannot. */
struct snapshot *packs_load(size_t n_first, unsigned n_made_up);

#endif
