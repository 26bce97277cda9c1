/* tagger_chain.h - a linear-chain conditional random field over a run of tokens (Lafferty, McCallum
 * and Pereira 2001).
 *
 * From the scores of each token's labels it computes the probability of each label
 * given the whole run, by the forward-backward algorithm. Label 0, outside, precedes and follows a
 * run. It uses single precision and its own exponential function: the same model
 * gives the same probabilities on every machine. No state: any thread. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_CHAIN_H
#define FILTERD_CLASSIFIERS_TAGGER_CHAIN_H

#include <stddef.h>

/* Label 0 has no weights, so TAGGER_WEIGHTED is one less than TAGGER_LABELS. 16 lanes are a whole number of vectors;
 * only the first 12 are calculated. */
enum { TAGGER_LABELS = 9, TAGGER_WEIGHTED = 8, TAGGER_LANES = 16, TAGGER_USED = 12 };

struct tagger_chain {
    float step[TAGGER_LANES]
              [TAGGER_LANES]; /* exp of the score of label j after label i; 0: never */
};

/* One token's row; lanes from TAGGER_LABELS on are 0, before and after. */
struct tagger_row {
    float weight[TAGGER_LANES];  /* in: exp of the label's score; 0: not allowed */
    float forward[TAGGER_LANES]; /* sums to 1 */
    float backward[TAGGER_LANES];
    float chance[TAGGER_LANES]; /* out: the label's probability; all 0 when no labelling is possible
                                 */
};

float tagger_exp(float x);
/* The same of each lane, to the last bit. */
void tagger_exp_all(const float of[TAGGER_USED], float out[TAGGER_USED]);
/* Of x > 0. */
float tagger_log(float x);

/* Rows 0..n-1 of a run. */
void tagger_chain_run(const struct tagger_chain *chain, struct tagger_row *rows, size_t n);

#endif
