#include "formats/base32.h"

#include "base/ascii.h"


static int base32_value(char c)
{
    char lower = ascii_lower(c);

    if (ascii_is_lower(lower)) {
        return lower - 'a';
    }
    return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

bool base32_decode(struct span text, uint8_t *out, size_t max, size_t *len)
{
    uint32_t bits = 0;
    unsigned held = 0;
    size_t n = 0;

    if (text.len * 5 / 8 > max) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        int value = base32_value(text.ptr[i]);
        if (value < 0) {
            return false;
        }
        bits = bits << 5 | (uint32_t)value;
        held += 5;
        if (held >= 8) {
            held -= 8;
            out[n++] = (uint8_t)(bits >> held);
        }
    }
    *len = n;
    return true;
}

void base32_encode(const uint8_t *bytes, char *out, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    uint32_t bits = 0;
    unsigned held = 0;

    for (size_t i = 0; i < n; i++) {
        if (held < 5) {
            bits = bits << 8 | *bytes++;
            held += 8;
        }
        held -= 5;
        out[i] = digits[bits >> held & 31u];
    }
}
