/* word_shape.h - whether a name is made of words: someVariableName, ALL_CAPS, kebab-case-2, a.b. */
#ifndef FILTERD_LEXICAL_WORD_SHAPE_H
#define FILTERD_LEXICAL_WORD_SHAPE_H

#include "base/span.h"

/* Segments between _ - . / \ of letters and digits only, words in most of them. Digits may be
 * alone, and up to two behind a word that has no other segment (base64, but not summer2024). */
bool word_shape_is(struct span name);

#endif
