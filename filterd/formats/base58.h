/* base58.h - base 58 with Bitcoin's alphabet, and base58check: a payload followed by the first
 * four bytes of its double SHA-256. */
#ifndef FILTERD_FORMATS_BASE58_H
#define FILTERD_FORMATS_BASE58_H

#include <stdint.h>

#include "base/span.h"

/* Holds an extended key (82 bytes) with room to spare; longer texts do not decode. */
enum { BASE58_BYTES_MAX = 96 };

/* *len is the payload's, without the checksum. False when the checksum does not hold. */
bool base58_decode_checked(struct span text, uint8_t out[BASE58_BYTES_MAX], size_t *len);

#endif
