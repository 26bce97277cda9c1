/* keccak.h - Keccak-256 as Ethereum uses it: the padding of the original submission (0x01), not
 * that of SHA-3 (0x06), which is all that libraries offer.
 * After https://keccak.team/files/Keccak-reference-3.0.pdf, section 1. */
#ifndef FILTERD_FORMATS_KECCAK_H
#define FILTERD_FORMATS_KECCAK_H

#include <stddef.h>
#include <stdint.h>

enum { KECCAK256_BYTES = 32, KECCAK256_RATE = 136 };

/* Of fewer than KECCAK256_RATE bytes, which is one block: all that addresses need. */
void keccak256(const uint8_t *bytes, size_t n, uint8_t out[KECCAK256_BYTES]);

#endif
