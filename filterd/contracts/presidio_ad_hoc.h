/* presidio_ad_hoc.h - recognizers that a request to POST /analyze brings along (ad_hoc_recognizers), within bounds.
 *
 * They add results to the answer; they are no rules: nothing that rules find is dropped because of them, and the verdict, the record and the
 * account of the agent do not know them. Their patterns share one budget of work (scan/caller_pattern.h); a request that
 * needs more is refused as a whole, never answered in part.
 *
 * Shape and meaning: Presidio 2.2.366, analyzer_request.py, pattern_recognizer.py, lemma_context_aware_enhancer.py. Its
 * context is of words; this one compares them as they are written, because filterd has no lemmas. Memory is the arena's or borrowed from the
 * body. No state; any thread. */
#ifndef FILTERD_CONTRACTS_PRESIDIO_AD_HOC_H
#define FILTERD_CONTRACTS_PRESIDIO_AD_HOC_H

#include "contracts/contract.h"
#include "base/json.h"
#include "scan/caller_pattern.h"

/* Bounds of one request. */
enum {
    AD_HOC_RECOGNIZERS_MAX = 32,
    AD_HOC_PATTERNS_MAX = 64,  /* of a recognizer */
    AD_HOC_WORDS_MAX = 1024,   /* of a deny list */
    AD_HOC_CONTEXT_MAX = 256,  /* words of a context */
    AD_HOC_RESULTS_MAX = 4096,
};

struct ad_hoc_result {
    size_t channel, from, to; /* bytes */
    double score, original_score;
    struct span entity, recognizer, pattern_name, pattern;
    struct span supportive_word; /* of the context; empty: none was near */
    unsigned flags;
};

/* What of the request the recognizers depend on. */
struct ad_hoc_scope {
    struct span language; /* recognizers of another one are checked, and not used */
    const struct span *entities; /* none: all */
    size_t n_entities;
    const struct span *context; /* words beside those of the text */
    size_t n_context;
    const struct channel *channels;
    size_t n_channels;
};

struct ad_hoc_results {
    struct ad_hoc_result *items;
    size_t n;
    bool has_entity; /* one of the wanted entities is a recognizer's */
};

/* Checks all of `recognizers`, an array of validated JSON, and searches the channels. False: *fault has Presidio's status and
 * sentence where it has one, without quoting the input. */
MUST_CHECK bool presidio_ad_hoc_find(const struct contract_call *call, struct json_value recognizers, const struct ad_hoc_scope *scope,
                                     struct caller_budget *budget, struct ad_hoc_results *out, struct filter_fault *fault);

/* The strings of an array; `pointer` is its place, for faults. */
MUST_CHECK bool presidio_read_words(const struct contract_call *call, struct json_value array, const char *pointer, size_t max,
                                    struct span **words, size_t *n, struct filter_fault *fault);

#endif
