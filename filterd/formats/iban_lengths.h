/* iban_lengths.h - the length and the characters of an IBAN by country, from the registry that SWIFT keeps. */
#ifndef FILTERD_FORMATS_IBAN_LENGTHS_H
#define FILTERD_FORMATS_IBAN_LENGTHS_H

#include <stdbool.h>
#include <stddef.h>

enum { IBAN_LENGTH_MAX = 34 };

/* Characters in all, 0 for a country without IBAN; the letters in upper case. */
size_t iban_length(char first, char second);
/* Whether the account behind the check digits has no letters there. */
bool iban_is_numeric(char first, char second);

#endif
