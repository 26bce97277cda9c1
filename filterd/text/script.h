/* script.h - counts the non-Latin letters of a text.
 *
 * It counts letters in runs of two or more: a single one is a variable or a unit. Letters are those of Greek, Cyrillic, Hebrew,
 * Arabic, the scripts of India and South-East Asia, Hangul, kana, Han and the like; not punctuation, symbols, emoji and
 * mathematical letters. Any bytes are permitted; the time is linear, with eight ASCII bytes at a time. Pure; thread-safe. */
#ifndef FILTERD_TEXT_SCRIPT_H
#define FILTERD_TEXT_SCRIPT_H

#include "base/span.h"

/* The number of bytes of such letters. */
size_t script_other(struct span text);

#endif
