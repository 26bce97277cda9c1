/* checksum.h - check-digit algorithms shared by several numbers, over values of symbols.h.
 *
 * Every function reads n values and has no state; the caller has checked the form. */
#ifndef FILTERD_CHECKS_CHECKSUM_H
#define FILTERD_CHECKS_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ISO/IEC 7812-1, in base 10 or another; false when a value does not fit the base. */
bool checksum_luhn(const uint8_t *values, size_t n, unsigned base);
bool checksum_verhoeff(const uint8_t *values, size_t n);

/* ISO 7064. mod 97-10 over digits and letters (as two digits each): the remainder, 1 when valid. */
unsigned checksum_mod97(const uint8_t *values, size_t n);
/* mod 11-2; the last value may be 10. */
bool checksum_mod11_2(const uint8_t *values, size_t n);
/* Hybrid systems: mod 11,10 with base 10, mod 37,36 with base 36. */
bool checksum_hybrid(const uint8_t *values, size_t n, unsigned base);

/* Sum of weight times value. */
long checksum_weighted(const uint8_t *values, const int8_t *weights, size_t n);
/* The digit (m - S mod m) mod m that complements a sum, which is not negative. */
unsigned checksum_complement(long sum, unsigned modulus);
/* ICAO Doc 9303: weights 7, 3, 1 repeating; the remainder mod 10. */
unsigned checksum_731(const uint8_t *values, size_t n);

/* CRC-16/XMODEM: polynomial 0x1021, start 0, not reflected. */
uint16_t checksum_crc16(const uint8_t *bytes, size_t n);

#endif
