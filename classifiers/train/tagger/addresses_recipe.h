/* addresses_recipe.h - how the model of postal addresses is made, and what it does on what it was
 * not made from.
 *
 * For the training programs. One seed; the same data gives the same bytes. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_ADDRESSES_RECIPE_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_ADDRESSES_RECIPE_H

#include "classifiers/train/tagger/addresses_made.h"
#include "classifiers/train/tagger/tagger_lists.h"
#include "classifiers/train/tagger/tagger_train.h"

enum { ADDRESSES_WORDS_BITS = 16, ADDRESSES_FIFTHS = 5 };

struct addresses_data {
    struct tagger_words words;
    struct name_pool names;
    struct address_pool pool;
    struct examples us;      /* group: which fifth */
    struct examples answers; /* benign, to learn from */
    struct examples chats;   /* benign, to measure on */
};

void addresses_read(struct addresses_data *d, const char *folder);
/* held: the fifth of the US addresses that is not learnt from; ADDRESSES_FIFTHS: all are. */
struct tagger addresses_train(const struct addresses_data *d, uint32_t held);
void addresses_measure(const struct addresses_data *d, const struct tagger *t, uint32_t held,
                       struct judged_list *judged);

#endif
