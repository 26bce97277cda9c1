/* first_word.h - whether a value of a table of cells begins with a word: its first filter (table.h).
 *
 * Every word of every text is asked about, so the hash is one multiplication of the word with a secret, and no pseudorandom
 * function: the filter of such hashes is encrypted in the file. A word counts with its first FIRST_WORD bytes. */
#ifndef FILTERD_DATASET_FIRST_WORD_H
#define FILTERD_DATASET_FIRST_WORD_H

#include "dataset/table.h"
#include "text/vector.h"

enum { FIRST_WORD = VECTOR_SIZE };

/* The hash of a folded word of n > 0 bytes, or of one in ASCII of any case. FIRST_WORD bytes can be read. */
static inline uint64_t first_word_hash(const struct dataset_key *key, const char *word, size_t n)
{
    const vector_bytes place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const vector_bytes small = (vector_load(word) | vector_of(0x20)) & (vector_bytes)(place < vector_of((uint8_t)n));
    uint64_t halves[2];

    memcpy(halves, &small, sizeof(halves));
    return dataset_hash_word(key, halves[0], halves[1]);
}

/* False: no value begins with the word, and no id with these letters. */
static inline bool first_word_may_begin(const struct table *t, const char *word, size_t n)
{
    return table_may_have(t, 0, first_word_hash(&t->key, word, n));
}

#endif
