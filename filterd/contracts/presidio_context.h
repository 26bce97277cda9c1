/* presidio_context.h - which word near a result supports it, as Presidio's context does.
 *
 * Source: lemma_context_aware_enhancer.py of Presidio 2.2.366. The words are the one in which the result starts and the five
 * before it that are no stop words, and those that the request gave. A context word supports when one of these contains it, whatever the
 * case of its letters: as Presidio, also inside a word. Pure; any thread. */
#ifndef FILTERD_CONTRACTS_PRESIDIO_CONTEXT_H
#define FILTERD_CONTRACTS_PRESIDIO_CONTEXT_H

#include "base/span.h"

/* The first of `context` that supports a result at byte `from` of `text`; empty: none does. */
struct span presidio_context_find(struct span text, size_t from, const struct span *given, size_t n_given, const struct span *context,
                                  size_t n_context);
/* The score with such a word. */
double presidio_context_score(double score);

#endif
