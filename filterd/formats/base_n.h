/* base_n.h - numbers of 32 bits written with other digits than ten, as checksums at the end of
 * tokens are. */
#ifndef FILTERD_FORMATS_BASE_N_H
#define FILTERD_FORMATS_BASE_N_H

#include <stdint.h>

#include "base/span.h"

#define BASE_N_36             "0123456789abcdefghijklmnopqrstuvwxyz"
#define BASE_N_62_UPPER_FIRST "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define BASE_N_62_LOWER_FIRST "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* True when text is the number in these digits, most significant first, padded on the left with
 * the digit for nought. */
bool base_n_is(struct span text, uint32_t number, const char *digits);
/* Writes the last n digits, most significant first. */
void base_n_write(uint32_t number, const char *digits, char *out, size_t n);
/* How many digits the number has without padding; 1 for nought. */
size_t base_n_length(uint32_t number, const char *digits);

#endif
