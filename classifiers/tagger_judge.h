/* tagger_judge.h - taggers as a classifier of several heads that rules can name (scan/classifier.h).
 *
 * A unit is read line by line, as names and parts of addresses do not go on behind the end of one;
 * what is found in a line depends on that line alone. A line is cut into tokens once for all taggers
 * that are wanted. A thread's first judging allocates its working memory, about 270 KiB, which is freed
 * as the thread ends. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_JUDGE_H
#define FILTERD_CLASSIFIERS_TAGGER_JUDGE_H

#include "base/digest.h"
#include "classifiers/tagger.h"
#include "scan/classifier.h"

enum { TAGGER_JUDGE_MAX = 4 };

struct tagger_judge {
    struct tagger taggers[TAGGER_JUDGE_MAX];
    const struct model *models[TAGGER_JUDGE_MAX];
    const char *heads[TAGGER_JUDGE_MAX]; /* the name of each */
    unsigned n;
    char digest[DIGEST_SHA256_HEX + 1]; /* of all models */
};

/* A model and the name of its head, borrowed both. */
struct tagger_judge_part {
    const struct model *model;
    const char *head;
};

/* n is 1 to TAGGER_JUDGE_MAX; *j is filled and outlives the classifier, as the models do. */
MUST_CHECK bool tagger_judge_open(struct tagger_judge *j, const struct tagger_judge_part *parts,
                                  unsigned n, struct classifier *out, struct error *err);

#endif
