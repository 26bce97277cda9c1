/* tagger_word_lists.h - whether a text is a list of words, in which names of persons are words as others.
 *
 * Of a spelling checker (word/FLAGS, word po:noun), with the genitive of each word, the index of a dictionary (word, offset and length between tabs),
 * or words in the order of the alphabet, one a line. Pure; thread-safe. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_WORD_LISTS_H
#define FILTERD_CLASSIFIERS_TAGGER_WORD_LISTS_H

#include "base/span.h"

enum tagger_word_list {
    TAGGER_NO_WORD_LIST,
    TAGGER_WORD_LIST,    /* by the form of its lines */
    TAGGER_SORTED_WORDS, /* by their order alone: a list of names is such a list, too */
};

/* n_lines is the number of its lines. */
enum tagger_word_list tagger_word_list_of(struct span unit, size_t *n_lines);

/* Whether a line of a list is a word and nothing else but what the list says of it. */
bool tagger_is_word_of_list(struct span line);

#endif
