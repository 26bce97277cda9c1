#include "budget/sketch.h"

#include <math.h>

enum { RANK_BITS = 64 - SKETCH_BITS };

static unsigned register_of(uint64_t hash)
{
    return (unsigned)(hash >> RANK_BITS);
}

/* Zeros in front of the first one of the other bits, and one more. */
static uint8_t rank_of(uint64_t hash)
{
    uint64_t rest = hash << SKETCH_BITS;

    return (uint8_t)(rest == 0 ? RANK_BITS + 1 : __builtin_clzll(rest) + 1);
}

void sketch_add(struct sketch *s, uint64_t hash)
{
    uint8_t *at = &s->registers[register_of(hash)];

    *at = rank_of(hash) > *at ? rank_of(hash) : *at;
}

bool sketch_has(const struct sketch *s, uint64_t hash)
{
    return s->registers[register_of(hash)] >= rank_of(hash);
}

void sketch_merge(struct sketch *to, const struct sketch *from)
{
    for (unsigned i = 0; i < SKETCH_REGISTERS; i++) {
        to->registers[i] = from->registers[i] > to->registers[i] ? from->registers[i] : to->registers[i];
    }
}

/* Ertl's sigma: x + x^2 + 2 x^4 + 4 x^8 + ... */
static double empty_share(double x)
{
    double y = 1, z = x, before = -1;

    while (z > before) {
        x *= x;
        before = z;
        z += x * y;
        y += y;
    }
    return z;
}

/* Ertl's tau. */
static double full_share(double x)
{
    double y = 1, z = 1 - x, before = 2;

    if (x <= 0 || x >= 1) {
        return 0;
    }
    while (z < before) {
        x = sqrt(x);
        before = z;
        y *= 0.5;
        z -= (1 - x) * (1 - x) * y;
    }
    return z / 3;
}

double sketch_estimate(const struct sketch *s)
{
    const double m = SKETCH_REGISTERS;
    unsigned counts[RANK_BITS + 2] = {0};

    for (unsigned i = 0; i < SKETCH_REGISTERS; i++) {
        counts[s->registers[i]]++;
    }
    if (counts[0] == SKETCH_REGISTERS) {
        return 0;
    }
    double z = m * full_share(1 - counts[RANK_BITS + 1] / m);
    for (unsigned k = RANK_BITS; k >= 1; k--) {
        z = 0.5 * (z + counts[k]);
    }
    z += m * empty_share(counts[0] / m);
    return m * m / (2 * M_LN2 * z);
}
