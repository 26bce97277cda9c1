#include "checks/checksum.h"

bool checksum_luhn(const uint8_t *values, size_t n, unsigned base)
{
    unsigned sum = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned value = values[n - 1 - i];
        if (value >= base) {
            return false;
        }
        if (i % 2 == 1) {
            value = 2 * value / base + 2 * value % base;
        }
        sum += value;
    }
    return sum % base == 0;
}

/* The product in the dihedral group of order 10. */
static unsigned dihedral(unsigned a, unsigned b)
{
    if (a < 5) {
        return b < 5 ? (a + b) % 5 : 5 + (a + b) % 5;
    }
    return b < 5 ? 5 + (a + 5 - b) % 5 : (a + 5 - b) % 5;
}

bool checksum_verhoeff(const uint8_t *values, size_t n)
{
    static const uint8_t permutation[10] = {1, 5, 7, 6, 2, 8, 3, 0, 9, 4};
    unsigned result = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned digit = values[n - 1 - i];
        for (size_t times = 0; times < i % 8; times++) {
            digit = permutation[digit];
        }
        result = dihedral(result, digit);
    }
    return result == 0;
}

unsigned checksum_mod97(const uint8_t *values, size_t n)
{
    unsigned remainder = 0;

    for (size_t i = 0; i < n; i++) {
        remainder = (remainder * (values[i] <= 9 ? 10 : 100) + values[i]) % 97;
    }
    return remainder;
}

bool checksum_mod11_2(const uint8_t *values, size_t n)
{
    unsigned remainder = 0;

    if (n < 2) {
        return false;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        remainder = 2 * (remainder + values[i]) % 11;
    }
    return (remainder + values[n - 1]) % 11 == 1;
}

bool checksum_hybrid(const uint8_t *values, size_t n, unsigned base)
{
    unsigned product = base;

    if (n < 2) {
        return false;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        unsigned sum = (product + values[i]) % base;
        product = 2 * (sum == 0 ? base : sum) % (base + 1);
    }
    return (product + values[n - 1]) % base == 1;
}

long checksum_weighted(const uint8_t *values, const int8_t *weights, size_t n)
{
    long sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (long)values[i] * weights[i];
    }
    return sum;
}

unsigned checksum_complement(long sum, unsigned modulus)
{
    return (modulus - (unsigned)sum % modulus) % modulus;
}

unsigned checksum_731(const uint8_t *values, size_t n)
{
    static const uint8_t weights[3] = {7, 3, 1};
    unsigned sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += values[i] * (unsigned)weights[i % 3];
    }
    return sum % 10;
}

uint16_t checksum_crc16(const uint8_t *bytes, size_t n)
{
    unsigned crc = 0;

    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 0x8000u) != 0 ? crc << 1 ^ 0x1021u : crc << 1;
        }
        crc &= 0xffffu;
    }
    return (uint16_t)crc;
}
