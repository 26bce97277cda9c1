/* english_words.h - the words by which names and prose are distinguished from random letters. */
#ifndef FILTERD_LEXICAL_ENGLISH_WORDS_H
#define FILTERD_LEXICAL_ENGLISH_WORDS_H

#include <stdint.h>

#include "base/span.h"

enum { ENGLISH_WORD_MIN = 3, ENGLISH_PAIR_MIN = 4 };

/* In lower case, sorted. */
extern const char *const english_words[];
extern const size_t english_words_n;
/* Bit b of english_pairs[a]: the letters a, b stand side by side in common words. */
extern const uint32_t english_pairs[26];

#endif
