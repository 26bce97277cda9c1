/* features.h - the features of a text for a linear model: rows of its table, one for each n-gram.
 *
 * A piece of text is folded (lower case, digits as 0, runs of white space as one space, Unicode look-alikes
 * undone) and split into words, pairs and triples of words, and runs of characters with at least one of a word: a run of
 * symbols has no features. Each n-gram is hashed into a row. Training and judging call the same code, so that
 * features agree; every model has FEATURES_VERSION, which changes with anything here and with how features
 * are summed. Pieces are independent: the features of two pieces are the union of both. Pure;
 * thread-safe. */
#ifndef FILTERD_CLASSIFIERS_FEATURES_H
#define FILTERD_CLASSIFIERS_FEATURES_H

#include <stdint.h>

#include "base/span.h"

enum {
    FEATURES_VERSION = 4,
    FEATURES_PIECE_MAX = 512, /* bytes of a piece */
    FEATURES_MAX = 4 * FEATURES_PIECE_MAX + 64,
    FEATURES_IN_WORDS = 20,
};

/* Writes row indices below 1 << bits to out, which has space for FEATURES_MAX, and returns their number.
 * piece.len <= FEATURES_PIECE_MAX. Any bytes are permitted; UTF-8 is expected. */
size_t features_of(struct span piece, unsigned bits, uint32_t *out);

/* The same with the place of each, for explanations: half-open bytes of the piece. */
struct feature_place {
    uint32_t row;
    uint16_t from, to;
};
size_t features_places(struct span piece, unsigned bits, struct feature_place *out);

/* Whether a text of any length says anything in letters: it has four different ones of the Latin alphabet, in any obfuscation,
 * and at least FEATURES_IN_WORDS pairs of adjacent different letters, or one such pair for each four visible bytes of the
 * text or of its folded form, which has rows of one sign shortened; or it has two adjacent letters of another script. Tables of
 * nothing, rules and pictures made of characters have not, and are not scored; signs around a sentence do not hide it. */
bool features_has_letters(struct span text);

#endif
