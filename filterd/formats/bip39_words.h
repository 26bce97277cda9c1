/* bip39_words.h - the word list of BIP-39. */
#ifndef FILTERD_FORMATS_BIP39_WORDS_H
#define FILTERD_FORMATS_BIP39_WORDS_H

#include "base/span.h"

enum { BIP39_WORDS = 2048, BIP39_BITS_PER_WORD = 11 };

extern const char *const bip39_words[BIP39_WORDS];

#endif
