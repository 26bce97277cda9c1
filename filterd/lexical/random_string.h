/* random_string.h - how much a string looks as if it had been drawn at random, as keys and tokens are, and not written.
 *
 * A linear model: what its pairs of characters speak for, in words, names, numbers and code on one side and in random
 * strings on the other; how much of it is English; entropy, length, shares of the alphabets, runs and repetitions; what
 * base64 says when it is decoded. The weights are in random_string_table.c, made by classifiers/train (`make train`); their
 * card is classifiers/models/random-string.md. Training and judging measure by this same code.
 *
 * No string shows whether it is a digest, an id or a key of the same form. What has the form of one (hexadecimal or padded base64 of a
 * digest's length, a UUID) counts as harmless unless the text around has said that it is a key.
 *
 * Pure, thread-safe, allocates nothing; time linear in the string, of which the first RANDOM_STRING_SAMPLE bytes count. */
#ifndef FILTERD_LEXICAL_RANDOM_STRING_H
#define FILTERD_LEXICAL_RANDOM_STRING_H

#include <stdint.h>

#include "base/span.h"

enum { RANDOM_STRING_SAMPLE = 256, RANDOM_STRING_SYMBOLS = 96, RANDOM_STRING_UNITS = 16 };

/* What is measured of a string: numbers of about 0 to 1, in steps of 1/1024. */
enum random_string_feature {
    RANDOM_ALWAYS,        /* 1 */
    RANDOM_PAIRS,         /* what pairs of characters speak for words, mean, in 4 bits */
    RANDOM_PAIRS_LEAST,   /* the same of the least wordlike stretch of 16 characters */
    RANDOM_PAIRS_MOST,    /* and of the most wordlike one */
    RANDOM_ENGLISH,       /* share of the characters that are in English words */
    RANDOM_WORDS,         /* it is a name made of words */
    RANDOM_ENTROPY,       /* of the entropy that so many characters can have */
    RANDOM_LENGTH,        /* 8 bits */
    RANDOM_SHORT,         /* how much it lacks to 20 characters */
    RANDOM_DIGITS,        /* shares of the characters */
    RANDOM_UPPER,
    RANDOM_LOWER,
    RANDOM_JOINTS,        /* _ - . / \ : */
    RANDOM_SYMBOLS_OTHER, /* neither letters nor digits nor these */
    RANDOM_CHANGES,       /* share of neighbours of two kinds, words in capitals counting as one */
    RANDOM_VOWELS,        /* share of the letters */
    RANDOM_RUN,           /* the longest run of one character */
    RANDOM_STEPS,         /* share of neighbours that follow one another in the alphabet */
    RANDOM_REPEATED,      /* share of triples that were there before */
    RANDOM_LONGEST_PART,  /* longest part between joints */
    RANDOM_HEX,           /* it is hexadecimal */
    RANDOM_DECIMAL,       /* it is digits and joints alone */
    RANDOM_TEXT,          /* base64 of printable text */
    RANDOM_DIGEST_HEX,    /* hexadecimal of a digest's length */
    RANDOM_DIGEST_BASE64, /* base64 of a digest's length with its padding */
    RANDOM_UUID,
    RANDOM_FEATURES
};

struct random_string_model {
    /* In RANDOM_STRING_UNITS of a bit: how much likelier the second character is behind the first in what is written. */
    int8_t pairs[RANDOM_STRING_SYMBOLS][RANDOM_STRING_SYMBOLS];
    float weights[RANDOM_FEATURES]; /* of the log odds that it is random */
};

extern const struct random_string_model random_string_shipped;

/* A byte's place in the table of pairs; RANDOM_STRING_SYMBOLS - 1: none of printable ASCII, and what is before the
 * first. */
unsigned random_string_symbol(char c);

void random_string_measure(const struct random_string_model *m, struct span value, float out[RANDOM_FEATURES]);

/* How probable it is, 0 to 1, that the string is random. is_labelled: the text around says that it is a key, so that the
 * form of a digest or an id says nothing. */
double random_string_score(const struct random_string_model *m, struct span value, bool is_labelled);
/* The same of a string that has been measured. */
double random_string_weigh(const struct random_string_model *m, const float measured[RANDOM_FEATURES], bool is_labelled);

#endif
