/* tagger_train.h - trains a conditional random field on marked examples, by the features that
 * tagger_find uses.
 *
 * Stochastic gradient descent with AdaGrad's step lengths (Duchi, Hazan and Singer 2011) on the
 * likelihood of the allowed labellings: where an example says only what a token is not, all labels
 * that it may have are summed over (partially observed fields: Bellare and McCallum 2007). Single
 * precision in a fixed order: the same examples and seed give the same bytes. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_TAGGER_TRAIN_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_TAGGER_TRAIN_H

#include "classifiers/tagger.h"
#include "classifiers/train/tagger/tagger_texts.h"

struct training {
    uint32_t kind;             /* enum tagger_kind */
    uint32_t n_buckets;
    unsigned epochs, averaged; /* of which the last so many are averaged; at least 1 */
    unsigned trainings;        /* from nothing, of so many epochs each, all averaged; at least 1 */
    float rate, decay;         /* of the steps; of the weights */
    float lexical_dropout;     /* how often a token's own word is not seen */
    float context_dropout;     /* how often another feature is not seen */
    uint64_t seed;
};

/* The trained tagger with an allocated table of weights; of each class the calibration is the identity, the floor 0.5. */
struct tagger train_tagger(const struct training *how, const struct tagger_words *words,
                           const struct examples *all);

/* The model's bytes in a file. n_words is the size of the word list's table. */
void write_tagger(const struct tagger *t, size_t n_words, const char *name, const char *path);

/* --- measuring ----------------------------------------------------------------- */

struct counts {
    size_t right, found, marked;            /* whole spans */
    size_t found_touching, marked_touching; /* that share a byte with one of the other side */
};

struct finding_list {
    struct tagger_entity items[512];
    size_t n;
};
/* The entities of one class. */
void find_all(const struct tagger *t, unsigned class, struct tagger_scratch *scratch, struct span text,
              struct finding_list *out);

/* Adds what the tagger finds of a class in an example, against the marks of a label. */
void count_example(const struct tagger *t, unsigned class, struct tagger_scratch *scratch, const struct example *e,
                   uint32_t label, struct counts *c);
/* Each finding's chance and whether it touches a mark: what the calibration is fitted to. */
struct judged {
    float chance;
    bool is_right;
};
struct judged_list {
    struct judged *items;
    size_t n, cap;
};
void judge_example(const struct tagger *t, unsigned class, struct tagger_scratch *scratch, const struct example *e,
                   uint32_t label, struct judged_list *judged);
/* Sets slope and offset of a class by Newton's method on the likelihood (Platt 1999); prints how true the
 * confidence is then. */
void calibrate(struct tagger_class_settings *c, const struct judged_list *judged);

double f1_by_overlap(const struct counts *c);
void print_counts(const char *what, const struct counts *c);

#endif
