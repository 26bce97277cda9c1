/* base32.h - RFC 4648 base32, either case, without padding. */
#ifndef FILTERD_FORMATS_BASE32_H
#define FILTERD_FORMATS_BASE32_H

#include <stdint.h>

#include "base/span.h"

/* *len whole bytes, bits left over dropped. False on a foreign character or more than max bytes. */
bool base32_decode(struct span text, uint8_t *out, size_t max, size_t *len);
/* The first n characters, upper case, of the base32 of bytes; bytes hold 5 n bits at least. */
void base32_encode(const uint8_t *bytes, char *out, size_t n);

#endif
