/* tagger_words.h - a model's data on single words: the lists that have them, and their groups by
 * use.
 *
 * A hash table of 2^n entries with open addressing and linear probing, by the hash of the lower-case form;
 * hash 0 is an empty entry. The lists themselves are not in the model. A table from a broken or hostile
 * model finds wrong words but never reads outside. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_WORDS_H
#define FILTERD_CLASSIFIERS_TAGGER_WORDS_H

#include "classifiers/tagger_token.h"

enum {
    TAGGER_WORD_GIVEN_TOP = 1 << 0, /* among a country's commonest given names */
    TAGGER_WORD_GIVEN = 1 << 1,
    TAGGER_WORD_SURNAME_TOP = 1 << 2,
    TAGGER_WORD_SURNAME = 1 << 3,
    TAGGER_WORD_CITY = 1 << 4,
    TAGGER_WORD_COUNTRY = 1 << 5,  /* or a state or province */
    TAGGER_WORD_TITLE = 1 << 6,    /* Dr, Mrs */
    TAGGER_WORD_COMPANY = 1 << 7,  /* Inc, GmbH */
    TAGGER_WORD_STREET = 1 << 8,   /* Street, Strasse */
    TAGGER_WORD_PARTICLE = 1 << 9, /* van, de, bin */
    TAGGER_WORD_CASE =
        3 << 10, /* case in ordinary text: 0 not seen, 1 capital, 2 either, 3 small */
    TAGGER_WORD_CASE_SHIFT = 10,
    TAGGER_WORD_OFTEN = 3 << 12, /* how often, in powers of ten */
    TAGGER_WORD_OFTEN_SHIFT = 12,
    TAGGER_WORD_UNIT = 1 << 14,   /* Suite, Etage, PO box */
    TAGGER_WORD_REGION = 1 << 15, /* a direction, or a state's short form */
    TAGGER_WORD_NAME =
        TAGGER_WORD_GIVEN_TOP | TAGGER_WORD_GIVEN | TAGGER_WORD_SURNAME_TOP | TAGGER_WORD_SURNAME,
};

struct tagger_word {
    uint32_t hash;
    uint16_t flags;
    uint8_t group,
        fame; /* fame: how often it is part of a name in ordinary text, 0 (not known) to 6 */
};

enum { TAGGER_PROBES = 64, TAGGER_WORDS_BITS_MAX = 20, TAGGER_KNOWN_WORDS = 4096 };

struct tagger_words {
    const struct tagger_word *table;
    uint32_t mask; /* number of entries - 1, a power of two less one */
};

/* NULL when the word is in no list. */
static inline const struct tagger_word *tagger_words_find(const struct tagger_words *words,
                                                          uint32_t hash)
{
    for (uint32_t i = 0; i < TAGGER_PROBES; i++) {
        const struct tagger_word *w = &words->table[(hash + i) & words->mask];
        if (w->hash == hash) {
            return w;
        }
        if (w->hash == 0) {
            return NULL;
        }
    }
    return NULL;
}

/* A table and a cache of TAGGER_KNOWN_WORDS lookups in it; words in no list are cached with empty
 * data. Zero the cache at first; for one thread. NULL: no cache. */
struct tagger_lexicon {
    const struct tagger_words *words;
    struct tagger_word *known;
};

/* The word's data; empty for a word in no list. */
static inline struct tagger_word tagger_lexicon_find(const struct tagger_lexicon *lexicon,
                                                     uint32_t hash)
{
    struct tagger_word *known =
        lexicon->known == NULL ? NULL : &lexicon->known[hash & (TAGGER_KNOWN_WORDS - 1)];

    if (known != NULL && known->hash == hash && hash != 0) {
        return *known;
    }
    const struct tagger_word *w = tagger_words_find(lexicon->words, hash);
    const struct tagger_word found = w != NULL ? *w : (struct tagger_word){.hash = hash};
    if (known != NULL) {
        *known = found;
    }
    return found;
}

#endif
