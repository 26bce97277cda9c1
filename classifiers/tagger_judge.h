/* tagger_judge.h - taggers as a classifier with several heads for rules (scan/classifier.h): one for each class of entities.
 *
 * A unit is judged line by line, because names and parts of addresses end with the line;
 * the findings in a line depend only on that line. A line is tokenized once for all
 * requested taggers, and each tagger runs once for all its classes. A class that its model calls unreliable on unseen
 * texts only reports. A person who is reported in front of an address, a comma between, is no part of it; else what is
 * found of one class does not depend on which others are asked for. A thread's first judgement allocates its working memory, about
 * 280 KiB, which is freed when the thread ends. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_JUDGE_H
#define FILTERD_CLASSIFIERS_TAGGER_JUDGE_H

#include "base/digest.h"
#include "classifiers/tagger.h"
#include "scan/classifier.h"

enum { TAGGER_JUDGE_MAX = 2, TAGGER_JUDGE_HEADS = TAGGER_JUDGE_MAX * TAGGER_CLASSES };

struct tagger_judge {
    struct tagger taggers[TAGGER_JUDGE_MAX];
    unsigned n;
    const char *heads[TAGGER_JUDGE_HEADS]; /* tagger * TAGGER_CLASSES + class; NULL: none */
    char digest[DIGEST_SHA256_HEX + 1]; /* of all models */
};

/* A model and the names of its classes' heads, all borrowed; as many as the model has, the others NULL. */
struct tagger_judge_part {
    const struct model *model;
    const char *heads[TAGGER_CLASSES];
};

/* Fills *j from n parts, 1 to TAGGER_JUDGE_MAX; *j and the models must outlive the classifier. */
MUST_CHECK bool tagger_judge_open(struct tagger_judge *j, const struct tagger_judge_part *parts,
                                  unsigned n, struct classifier *out, struct error *err);

#endif
