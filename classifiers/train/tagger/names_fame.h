/* names_fame.h - how often each word is part of a name in ordinary text, as a model sees it.
 *
 * The marked corpora have few examples of a name that ordinary text has by the hundred; what a
 * model makes of those, a word in all, the next model may know of it. No marks are used. For the
 * training programs. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_NAMES_FAME_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_NAMES_FAME_H

#include "classifiers/train/tagger/tagger_train.h"

/* The words with their fame, in a table of their own, by what the tagger finds in the lines. It may
 * know another fame of the same words. */
struct tagger_words words_with_fame(const struct tagger_words *words, const struct tagger *t,
                                    const struct examples *lines);

#endif
