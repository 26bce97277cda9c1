#include "index/index_filter.h"

enum { PROBES = 8, BITS = INDEX_FILTER * 8 };

_Static_assert((BITS & (BITS - 1)) == 0, "a place is taken by a mask");

/* Two halves of one good hash give all places (Kirsch and Mitzenmacher). */
static uint32_t place(uint64_t key, unsigned i)
{
    return ((uint32_t)key + i * ((uint32_t)(key >> 32) | 1)) & (BITS - 1);
}

void index_filter_add(uint8_t filter[INDEX_FILTER], uint64_t key)
{
    for (unsigned i = 0; i < PROBES; i++) {
        uint32_t at = place(key, i);
        filter[at / 8] = (uint8_t)(filter[at / 8] | 1U << at % 8);
    }
}

bool index_filter_may_have(const uint8_t filter[INDEX_FILTER], uint64_t key)
{
    for (unsigned i = 0; i < PROBES; i++) {
        uint32_t at = place(key, i);
        if ((filter[at / 8] >> at % 8 & 1U) == 0) {
            return false;
        }
    }
    return true;
}
