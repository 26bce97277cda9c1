/* marvin32.h - Marvin32, the checksum inside Microsoft's keys: two 32-bit halves of state. */
#ifndef FILTERD_FORMATS_MARVIN32_H
#define FILTERD_FORMATS_MARVIN32_H

#include <stddef.h>
#include <stdint.h>

/* A named seed is its eight characters read as a big-endian number. */
uint64_t marvin32_seed(const char name[8]);
uint64_t marvin32_64(const uint8_t *bytes, size_t n, uint64_t seed);
/* Both halves of the above XORed. */
uint32_t marvin32(const uint8_t *bytes, size_t n, uint64_t seed);

#endif
