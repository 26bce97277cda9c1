#include "formats/base58.h"

#include <sodium.h>

enum { BASE58_TEXT_MAX = 128, CHECKSUM_BYTES = 4 };

static int base58_value(char c)
{
    static const char digits[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    return at == NULL ? -1 : (int)(at - digits);
}

/* number = number * 58 + digit; the number is little-endian, *n bytes. */
static bool append_digit(uint8_t *number, size_t *n, unsigned digit)
{
    unsigned carry = digit;

    for (size_t i = 0; i < *n; i++) {
        carry += number[i] * 58u;
        number[i] = (uint8_t)carry;
        carry >>= 8;
    }
    if (carry > 0) {
        if (*n == BASE58_BYTES_MAX) {
            return false;
        }
        number[(*n)++] = (uint8_t)carry;
    }
    return true;
}

static bool base58_decode(struct span text, uint8_t out[BASE58_BYTES_MAX], size_t *len)
{
    uint8_t number[BASE58_BYTES_MAX];
    size_t n = 0;
    size_t zeros = 0;

    if (text.len == 0 || text.len > BASE58_TEXT_MAX) {
        return false;
    }
    while (zeros < text.len && text.ptr[zeros] == '1') {
        zeros++;
    }
    for (size_t i = zeros; i < text.len; i++) {
        int value = base58_value(text.ptr[i]);
        if (value < 0 || !append_digit(number, &n, (unsigned)value)) {
            return false;
        }
    }
    if (zeros + n > BASE58_BYTES_MAX) {
        return false;
    }
    memset(out, 0, zeros);
    for (size_t i = 0; i < n; i++) {
        out[zeros + i] = number[n - 1 - i];
    }
    *len = zeros + n;
    return true;
}

bool base58_decode_checked(struct span text, uint8_t out[BASE58_BYTES_MAX], size_t *len)
{
    uint8_t digest[crypto_hash_sha256_BYTES];
    size_t n = 0;

    if (!base58_decode(text, out, &n) || n <= CHECKSUM_BYTES) {
        return false;
    }
    crypto_hash_sha256(digest, out, n - CHECKSUM_BYTES);
    crypto_hash_sha256(digest, digest, sizeof(digest));
    *len = n - CHECKSUM_BYTES;
    return memcmp(digest, out + *len, CHECKSUM_BYTES) == 0;
}
