/* letter_triples.h - how much likelier the letters of a string follow one another by chance than in a word.
 *
 * A table of three letters each, learned from words of many languages, names and identifiers: letter_triples_table.c, made by
 * classifiers/train/letters (`make train`); the card is classifiers/models/letter-triples.md. It tells a password of letters
 * alone from a word from eight letters on, where random_string, which was made for keys, cannot.
 *
 * Pure, thread-safe, allocates nothing; time linear in the string, of which the first LETTER_TRIPLES_SAMPLE bytes count. */
#ifndef FILTERD_LEXICAL_LETTER_TRIPLES_H
#define FILTERD_LEXICAL_LETTER_TRIPLES_H

#include <stdint.h>

#include "base/span.h"

/* 26 letters, and none: in front of the first one, and behind any other character. */
enum { LETTER_TRIPLES_SAMPLE = 64, LETTER_TRIPLES_PLACES = 27, LETTER_TRIPLES_UNITS = 16 };

/* In LETTER_TRIPLES_UNITS of a bit: how much likelier than by chance the third letter is behind the first two. */
extern const int8_t letter_triples[LETTER_TRIPLES_PLACES][LETTER_TRIPLES_PLACES][LETTER_TRIPLES_PLACES - 1];

/* Bits for chance, capitals counting as small letters and other characters for nothing; negative for what is written. */
double letter_triples_chance(struct span value);

#endif
