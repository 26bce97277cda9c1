/* tagger_address_parts.h - what of an address is an entity of its own: its town, and its post code.
 *
 * Pure; thread-safe. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_ADDRESS_PARTS_H
#define FILTERD_CLASSIFIERS_TAGGER_ADDRESS_PARTS_H

#include "classifiers/tagger_features.h"

/* A town with its code and nothing else are two things, and so are a street and the town behind a comma or behind `in`; a street, a
 * town and a code behind it, in a form that most countries write in front of the town, are three. Any other address with a street and a
 * code is one. So is one without a code that begins or ends its line: the rest of it may stand in the line before or behind. */
void tagger_address_parts(const struct tagger_line *line, const uint8_t *labels, size_t from, size_t to,
                          struct tagger_part_tokens parts[TAGGER_PARTS]);

static inline bool tagger_is_number(const struct tagger_token *t)
{
    return (t->shape == TAGGER_NUMBER || t->shape == TAGGER_ALNUM) && t->n_chars <= 10;
}

static inline bool tagger_is_sign(const struct tagger_token *t, char sign)
{
    return t->shape == TAGGER_SYMBOL && t->n_chars == 1 && (t->tail & 0xff) == (unsigned char)sign;
}

#endif
