/* goal.h - how each head is trained, and what is asked of it. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_GOAL_H
#define FILTERD_CLASSIFIERS_TRAIN_GOAL_H

#include "classifiers/train/corpus.h"

enum { GOAL_HALF = 200, GOAL_BITS = 17 };

struct goal {
    const char *name;
    unsigned epochs;
    double rate;
    double positives;        /* what the texts for it weigh together, to 1 of those against it */
    double refusals;         /* what a text that declines weighs against it; 1: as any */
    enum head discount_by;   /* HEAD_COUNT: none */
    double discount;
    double ordinary_share;   /* of ordinary answers of the worst source that may score as high as the threshold */
    double other_script;     /* as in struct linear_head */
    double sentences;        /* what a harmless sentence alone weighs, to 1 of a window */
    double bias;             /* what a text scores that says nothing; 0: it is learned */
    bool judges_unit;        /* as in struct linear_head: a document's score is that of all of it */
};

extern const struct goal goals[HEAD_COUNT];

#endif
