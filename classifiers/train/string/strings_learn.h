/* strings_learn.h - the model of random strings (lexical/random_string.h), from strings that are known. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_STRING_STRINGS_LEARN_H
#define FILTERD_CLASSIFIERS_TRAIN_STRING_STRINGS_LEARN_H

#include "classifiers/train/string/strings.h"
#include "lexical/random_string.h"

/* Pairs are counted in one half of the strings, weights are fitted to the other, which the pairs have not seen; random and
 * harmless ones weigh the same. Repeated ones are left out. The same strings give the same model. */
MUST_CHECK bool strings_learn(const struct strings *s, struct random_string_model *out, struct error *err);

#endif
