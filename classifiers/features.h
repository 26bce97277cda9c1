/* features.h - what a linear model sees of a text: rows of its table, one for each n-gram.
 *
 * A piece of text is read folded (small letters, digits as 0, runs of white space as one space, Unicode's disguises
 * undone), and then as words, pairs and triples of words, and as runs of characters with one of a word among them: a row of
 * signs says nothing, however long it is. Each is hashed into a row. Training and judging call this same code, so that a
 * feature is the same to both; FEATURES_VERSION is in every model and changes with anything here, and with how features
 * are summed. Pieces do not see each other: the features of two pieces are those of one and those of the other. Pure;
 * thread-safe. */
#ifndef FILTERD_CLASSIFIERS_FEATURES_H
#define FILTERD_CLASSIFIERS_FEATURES_H

#include <stdint.h>

#include "base/span.h"

enum {
    FEATURES_VERSION = 3,
    FEATURES_PIECE_MAX = 512, /* bytes of a piece */
    FEATURES_MAX = 4 * FEATURES_PIECE_MAX + 64,
};

/* Row indices below 1 << bits; out has room for FEATURES_MAX. Returns their number. piece.len <= FEATURES_PIECE_MAX.
 * Any bytes will do; UTF-8 is expected. */
size_t features_of(struct span piece, unsigned bits, uint32_t *out);

/* The same with where each comes from, for explanations: half-open bytes of the piece. */
struct feature_place {
    uint32_t row;
    uint16_t from, to;
};
size_t features_places(struct span piece, unsigned bits, struct feature_place *out);

/* Whether a text of any length has four different letters of the Latin alphabet, in whatever dress, or two together of
 * another script. Fewer are too little to say anything by: nothing is scored. */
bool features_has_letters(struct span text);

#endif
