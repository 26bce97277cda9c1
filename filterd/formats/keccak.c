#include "formats/keccak.h"

#include <assert.h>

enum { ROUNDS = 24, LANES = 25 };

static uint64_t rotate_left(uint64_t lane, unsigned by)
{
    return by == 0 ? lane : lane << by | lane >> (64 - by);
}

static void theta(uint64_t a[LANES])
{
    uint64_t parity[5];

    for (size_t x = 0; x < 5; x++) {
        parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    }
    for (size_t i = 0; i < LANES; i++) {
        a[i] ^= parity[(i + 4) % 5] ^ rotate_left(parity[(i + 1) % 5], 1);
    }
}

/* The t-th lane on the walk (x, y) -> (y, 2x + 3y) is rotated by (t+1)(t+2)/2 and moves one on. */
static void rho_and_pi(uint64_t a[LANES])
{
    size_t x = 1;
    size_t y = 0;
    uint64_t moving = a[1];

    for (unsigned t = 0; t < ROUNDS; t++) {
        size_t next = (2 * x + 3 * y) % 5;
        x = y;
        y = next;
        uint64_t here = a[x + 5 * y];
        a[x + 5 * y] = rotate_left(moving, (t + 1) * (t + 2) / 2 % 64);
        moving = here;
    }
}

static void chi(uint64_t a[LANES])
{
    for (size_t y = 0; y < LANES; y += 5) {
        uint64_t row[5];
        for (size_t x = 0; x < 5; x++) {
            row[x] = a[y + x];
        }
        for (size_t x = 0; x < 5; x++) {
            a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        }
    }
}

/* The round constants are the output of a shift register x^8 + x^6 + x^5 + x^4 + 1: bit 2^j - 1 of
 * the constant is its bit j + 7 * round. */
static uint64_t iota(unsigned *shift_register)
{
    uint64_t constant = 0;

    for (unsigned j = 0; j < 7; j++) {
        if ((*shift_register & 1u) != 0) {
            constant |= UINT64_C(1) << ((1u << j) - 1);
        }
        *shift_register <<= 1;
        if ((*shift_register & 0x100u) != 0) {
            *shift_register ^= 0x171u;
        }
    }
    return constant;
}

static void permute(uint64_t a[LANES])
{
    unsigned shift_register = 1;

    for (int round = 0; round < ROUNDS; round++) {
        theta(a);
        rho_and_pi(a);
        chi(a);
        a[0] ^= iota(&shift_register);
    }
}

void keccak256(const uint8_t *bytes, size_t n, uint8_t out[KECCAK256_BYTES])
{
    uint64_t a[LANES] = {0};

    assert(n < KECCAK256_RATE);
    for (size_t i = 0; i < n; i++) {
        a[i / 8] ^= (uint64_t)bytes[i] << 8 * (i % 8);
    }
    a[n / 8] ^= UINT64_C(1) << 8 * (n % 8);
    a[KECCAK256_RATE / 8 - 1] ^= UINT64_C(1) << 63;
    permute(a);
    for (size_t i = 0; i < KECCAK256_BYTES; i++) {
        out[i] = (uint8_t)(a[i / 8] >> 8 * (i % 8));
    }
}
