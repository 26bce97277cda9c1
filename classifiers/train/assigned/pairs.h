/* pairs.h - names and values that are known to be secrets or not, to learn from and to measure by.
 *
 * A row of a file is {"text", "set", "secret": VALUE | true | false, "weight"}: the places where VALUE occurs are secrets, the text's
 * other candidates are passed over; true: each candidate is one; false: none is. A candidate is what one of the patterns
 * takes: the patterns of the rules that ask the model, a line each. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_ASSIGNED_PAIRS_H
#define FILTERD_CLASSIFIERS_TRAIN_ASSIGNED_PAIRS_H

#include "base/arena.h"
#include "lexical/assigned_value.h"
#include "scan/regex.h"

enum { PAIR_PATTERNS_MAX = 8 };

struct pair {
    struct span before, value;
    const char *set; /* what it counts to in the figures */
    float weight;
    bool is_secret;
};

struct pairs {
    struct pair *items;
    size_t n, cap;
    struct arena memory;
    struct regex *patterns[PAIR_PATTERNS_MAX];
    size_t n_patterns;
    struct regex_scratch *scratch;
};

MUST_CHECK bool pairs_init(struct pairs *p, const char *patterns_path, struct error *err);
void pairs_deinit(struct pairs *p);

/* Every candidate of every row of a file; one that was there before is left out. */
MUST_CHECK bool pairs_read(struct pairs *p, const char *path, struct error *err);

#endif
