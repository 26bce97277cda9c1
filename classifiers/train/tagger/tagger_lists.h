/* tagger_lists.h - makes a model's word list from the lists and texts of the shared data.
 *
 * For the training programs. The same files give the same table. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_TAGGER_LISTS_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_TAGGER_LISTS_H

#include "classifiers/tagger_words.h"
#include "classifiers/train/tagger/tagger_texts.h"

struct word_list {
    struct word_entry *entries; /* open addressing by hash */
    size_t n, cap;
};

struct word_entry {
    uint32_t hash;
    uint16_t flags, group;
    uint32_t n_small, n_capital, n_all; /* in ordinary text */
};

void word_list_init(struct word_list *w);
struct word_entry *word_list_find(struct word_list *w, uint32_t hash, bool add);

/* Names, cities, countries, titles, companies, streets, particles. */
void word_list_read_lists(struct word_list *w, const char *folder);
/* Counts how words are written in lines of text. */
void word_list_count(struct word_list *w, const struct examples *lines);
/* Takes flags from all words. */
void word_list_forget(struct word_list *w, unsigned flags);
/* The table of the model: 2^bits entries, words of lists and words seen min_count times. */
struct tagger_word *word_list_table(struct word_list *w, unsigned bits, uint32_t min_count);

#endif
