/* tagger_groups.h - sorts words into groups by the words that they are beside.
 *
 * The exchange algorithm (Kneser and Ney 1993; Martin, Liermann and Ney 1998) for the classes of
 * Brown et al. 1992: each word in turn goes to the group that makes the pairs of neighbouring
 * groups likeliest, until the rounds are over. No randomness: the same texts give the same groups.
 */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_TAGGER_GROUPS_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_TAGGER_GROUPS_H

#include "classifiers/train/tagger/tagger_lists.h"

enum { GROUPS = 256 };

/* Gives the commonest max_words words of the lines a group, 1 to GROUPS, in the word list. */
void make_groups(struct word_list *w, const struct examples *lines, size_t max_words,
                 unsigned rounds);

#endif
