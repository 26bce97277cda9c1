#include "seal/bech32.h"

enum { CHECKSUM = 6, PREFIX_MAX = 32, VALUES_MAX = 128 };

static const char alphabet[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

static uint32_t step(uint32_t checksum, uint8_t value)
{
    static const uint32_t generator[] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
    uint32_t top = checksum >> 25;

    checksum = (checksum & 0x1ffffff) << 5 ^ value;
    for (size_t i = 0; i < COUNT(generator); i++) {
        checksum ^= (top >> i & 1) != 0 ? generator[i] : 0;
    }
    return checksum;
}

static uint32_t checksum_of(const char *prefix, const uint8_t *values, size_t n)
{
    uint32_t checksum = 1;

    for (const char *c = prefix; *c != '\0'; c++) {
        checksum = step(checksum, (uint8_t)((uint8_t)*c >> 5));
    }
    checksum = step(checksum, 0);
    for (const char *c = prefix; *c != '\0'; c++) {
        checksum = step(checksum, *c & 31);
    }
    for (size_t i = 0; i < n; i++) {
        checksum = step(checksum, values[i]);
    }
    return checksum;
}

/* Lower case, or upper case all through. */
static bool lower(struct span text, char out[VALUES_MAX + PREFIX_MAX])
{
    bool has_upper = false, has_lower = false;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        has_upper |= c >= 'A' && c <= 'Z';
        has_lower |= c >= 'a' && c <= 'z';
        out[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return !(has_upper && has_lower);
}

static bool read_values(const char *text, size_t n, uint8_t *values)
{
    for (size_t i = 0; i < n; i++) {
        const char *found = text[i] != '\0' ? strchr(alphabet, text[i]) : NULL;
        if (found == NULL) {
            return false;
        }
        values[i] = (uint8_t)(found - alphabet);
    }
    return true;
}

/* Groups of five bits to bytes; what is left over is padding, which is zero. */
static bool join(const uint8_t *values, size_t n, uint8_t *out)
{
    uint32_t bits = 0;
    unsigned n_bits = 0;

    for (size_t i = 0; i < n; i++) {
        bits = (bits << 5 | values[i]) & 0xfff;
        n_bits += 5;
        if (n_bits >= 8) {
            n_bits -= 8;
            *out++ = (uint8_t)(bits >> n_bits);
        }
    }
    return n_bits < 5 && (bits & ((1U << n_bits) - 1)) == 0;
}

bool bech32_decode(struct span text, const char *prefix, uint8_t *out, size_t size)
{
    char small[VALUES_MAX + PREFIX_MAX];
    uint8_t values[VALUES_MAX];
    size_t prefix_len = strlen(prefix), n = (size * 8 + 4) / 5 + CHECKSUM;

    if (n > sizeof(values) || prefix_len > PREFIX_MAX - 1 || text.len != prefix_len + 1 + n || !lower(text, small) ||
        memcmp(small, prefix, prefix_len) != 0 || small[prefix_len] != '1') {
        return false;
    }
    return read_values(small + prefix_len + 1, n, values) && checksum_of(prefix, values, n) == 1 &&
           join(values, n - CHECKSUM, out);
}

void bech32_encode(const char *prefix, const uint8_t *bytes, size_t size, char *text)
{
    uint8_t values[VALUES_MAX] = {0};
    size_t n = (size * 8 + 4) / 5;

    for (size_t i = 0; i < n && n + CHECKSUM <= sizeof(values); i++) {
        size_t at = i * 5 / 8, shift = i * 5 % 8;
        unsigned pair = (unsigned)bytes[at] << 8 | (at + 1 < size ? bytes[at + 1] : 0U);
        values[i] = pair >> (11 - shift) & 31;
    }
    uint32_t checksum = checksum_of(prefix, values, n + CHECKSUM) ^ 1;
    for (size_t i = 0; i < CHECKSUM; i++) {
        values[n + i] = checksum >> (5 * (CHECKSUM - 1 - i)) & 31;
    }
    size_t len = strlen(prefix);
    memcpy(text, prefix, len);
    text[len++] = '1';
    for (size_t i = 0; i < n + CHECKSUM; i++) {
        text[len++] = alphabet[values[i]];
    }
    text[len] = '\0';
}
