/* tagger_judge.h - a tagger as a classifier that rules can name (scan/classifier.h).
 *
 * A unit is read line by line, as names and parts of addresses do not go on behind the end of one;
 * what is found in a line depends on that line alone. Nothing is allocated; judging takes about 40
 * KiB of the caller's stack. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_JUDGE_H
#define FILTERD_CLASSIFIERS_TAGGER_JUDGE_H

#include "classifiers/tagger.h"
#include "scan/classifier.h"

struct tagger_judge {
    struct tagger tagger;
    const struct model *model;
    const char *head; /* the one name that it has */
};

/* Borrows the model and the name; *j is filled and outlives the classifier, as the model does. */
MUST_CHECK bool tagger_judge_open(struct tagger_judge *j, const struct model *m, const char *head,
                                  struct classifier *out, struct error *err);

#endif
