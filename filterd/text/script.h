/* script.h - how much of a text is written in letters of no Latin alphabet.
 *
 * Letters count where two are together: one alone is a variable or a unit. Greek, Cyrillic, Hebrew, Arabic, the scripts of
 * India and South-East Asia, Hangul, kana, Han and the like. Punctuation, symbols, emoji and mathematical letters are none.
 * Any bytes will do; time linear, eight bytes at once where they are ASCII. Pure; thread-safe. */
#ifndef FILTERD_TEXT_SCRIPT_H
#define FILTERD_TEXT_SCRIPT_H

#include "base/span.h"

/* Bytes of the text that belong to such letters. */
size_t script_other(struct span text);

#endif
