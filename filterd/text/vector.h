/* vector.h - compares sixteen bytes at a time with the compiler's vectors.
 *
 * The compiler generates SSE2 or NEON; only gathering the lanes' top bits has no portable
 * form. */
#ifndef FILTERD_TEXT_VECTOR_H
#define FILTERD_TEXT_VECTOR_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { VECTOR_SIZE = 16 };

typedef uint8_t vector_bytes __attribute__((vector_size(VECTOR_SIZE)));

static inline vector_bytes vector_load(const char *from)
{
    vector_bytes v;
    memcpy(&v, from, sizeof(v));
    return v;
}

static inline vector_bytes vector_of(uint8_t byte)
{
    return (vector_bytes){0} + byte;
}

/* All bits of a lane if the byte is in [low, high], otherwise none. */
static inline vector_bytes vector_in_range(vector_bytes v, uint8_t low, uint8_t high)
{
    return (vector_bytes)((v - vector_of(low)) <= vector_of((uint8_t)(high - low)));
}

static inline vector_bytes vector_is(vector_bytes v, uint8_t byte)
{
    return (vector_bytes)(v == vector_of(byte));
}

/* Bit i is the top bit of byte i. */
static inline unsigned vector_top_bits(vector_bytes v)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_epi8((__m128i)v);
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < VECTOR_SIZE; i++) {
        bits |= (unsigned)(v[i] >> 7) << i;
    }
    return bits;
#endif
}

#endif
