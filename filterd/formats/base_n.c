#include "formats/base_n.h"

bool base_n_is(struct span text, uint32_t number, const char *digits)
{
    uint32_t base = (uint32_t)strlen(digits);

    for (size_t i = text.len; i > 0; i--) {
        if (text.ptr[i - 1] != digits[number % base]) {
            return false;
        }
        number /= base;
    }
    return text.len > 0 && number == 0;
}

void base_n_write(uint32_t number, const char *digits, char *out, size_t n)
{
    uint32_t base = (uint32_t)strlen(digits);

    for (size_t i = n; i > 0; i--) {
        out[i - 1] = digits[number % base];
        number /= base;
    }
}

size_t base_n_length(uint32_t number, const char *digits)
{
    uint32_t base = (uint32_t)strlen(digits);
    size_t n = 1;

    while (number >= base) {
        number /= base;
        n++;
    }
    return n;
}
