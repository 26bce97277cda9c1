/* assigned_value.h - how probable it is that a value which a text gives a name is a secret.
 *
 * A linear model over the name, what separates it from the value, and the value: words of the name and pieces of three
 * characters of them, hashed; which of them mean a credential and which an identifier, a digest or a place; the separator;
 * kinds of characters and length of the value; the measures of random_string.h, for the whole value and for its longest part
 * between joints, so that an unknown prefix does not hide the rest. The weights are in assigned_value_table.c, made by
 * classifiers/train (`make train`); their card is classifiers/models/assigned-value.md. Training and judging measure by this
 * same code.
 *
 * `before` is the text in front of the value, of which the last ASSIGNED_BEFORE bytes of its line count.
 *
 * Pure, thread-safe, allocates nothing; time linear in the value, of which the first RANDOM_STRING_SAMPLE bytes count. */
#ifndef FILTERD_LEXICAL_ASSIGNED_VALUE_H
#define FILTERD_LEXICAL_ASSIGNED_VALUE_H

#include <stdint.h>

#include "lexical/random_string.h"

enum {
    ASSIGNED_BEFORE = 64,
    ASSIGNED_BUCKETS = 1 << 13,
    ASSIGNED_HASHED_MAX = 192, /* of one pair: a name of 64 bytes has at most that many words and pieces */
};

/* Measures beside the hashed ones, in steps of 1/1024. */
enum assigned_measure {
    ASSIGNED_RANDOM,      /* score of random_string.h */
    ASSIGNED_RANDOM_NAMED, /* the same where the form of a digest or an id says nothing */
    ASSIGNED_RANDOM_PART, /* the highest score of a part of at least 12 characters between joints */
    ASSIGNED_LENGTH,      /* of 64 bytes */
    ASSIGNED_PLACEHOLDER, /* lexical/placeholder.h */
    ASSIGNED_CODE,        /* lexical/code_shape.h */
    ASSIGNED_WORDS,       /* lexical/word_shape.h */
    ASSIGNED_ENGLISH,     /* share of the value that lies in English words */
    ASSIGNED_STRING,      /* those of enum random_string_feature follow */
    ASSIGNED_MEASURES = ASSIGNED_STRING + RANDOM_FEATURES
};

struct assigned_features {
    uint16_t hashed[ASSIGNED_HASHED_MAX]; /* buckets, each weighing 1 */
    size_t n_hashed;
    float measures[ASSIGNED_MEASURES];
};

struct assigned_value_model {
    int8_t hashed[ASSIGNED_BUCKETS]; /* of the log odds, in steps of 1/16 */
    float measures[ASSIGNED_MEASURES];
};

extern const struct assigned_value_model assigned_value_shipped;

void assigned_value_measure(struct span before, struct span value, struct assigned_features *out);

/* How probable it is, 0 to 1, that the value is a secret. */
double assigned_value_score(const struct assigned_value_model *m, struct span before, struct span value);

#endif
