#include "formats/marvin32.h"

struct state {
    uint32_t low;
    uint32_t high;
};

static uint32_t rotate_left(uint32_t word, unsigned by)
{
    return word << by | word >> (32 - by);
}

static void mix(struct state *s)
{
    s->high ^= s->low;
    s->low = rotate_left(s->low, 20) + s->high;
    s->high = rotate_left(s->high, 9) ^ s->low;
    s->low = rotate_left(s->low, 27) + s->high;
    s->high = rotate_left(s->high, 19);
}

static uint32_t little_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

uint64_t marvin32_seed(const char name[8])
{
    uint64_t seed = 0;

    for (size_t i = 0; i < 8; i++) {
        seed = seed << 8 | (uint8_t)name[i];
    }
    return seed;
}

uint64_t marvin32_64(const uint8_t *bytes, size_t n, uint64_t seed)
{
    struct state s = {.low = (uint32_t)seed, .high = (uint32_t)(seed >> 32)};
    uint8_t last[4] = {0};
    size_t whole = n - n % 4;

    for (size_t i = 0; i < whole; i += 4) {
        s.low += little_endian(bytes + i);
        mix(&s);
    }
    for (size_t i = whole; i < n; i++) {
        last[i - whole] = bytes[i];
    }
    last[n - whole] = 0x80;
    s.low += little_endian(last);
    mix(&s);
    mix(&s);
    return (uint64_t)s.high << 32 | s.low;
}

uint32_t marvin32(const uint8_t *bytes, size_t n, uint64_t seed)
{
    uint64_t both = marvin32_64(bytes, n, seed);

    return (uint32_t)both ^ (uint32_t)(both >> 32);
}
