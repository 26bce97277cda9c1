/* bech32.h - Bech32 (BIP 173) without its limit of 90 characters, as age writes keys. */
#ifndef FILTERD_SEAL_BECH32_H
#define FILTERD_SEAL_BECH32_H

#include <stdint.h>

#include "base/span.h"

/* Characters of `size` bytes behind a prefix, without NUL. */
#define BECH32_TEXT(prefix, size) ((prefix) + 1 + ((size) * 8 + 4) / 5 + 6)

/* Exactly `size` bytes under that prefix, which is in lower case; the text is in lower case or all in upper case. False
 * for anything else: another prefix or length, a wrong checksum, bits left over that are not zero. */
bool bech32_decode(struct span text, const char *prefix, uint8_t *out, size_t size);
/* Lower case, NUL-terminated. */
void bech32_encode(const char *prefix, const uint8_t *bytes, size_t size, char *text);

#endif
