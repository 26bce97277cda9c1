#include "formats/base64.h"

#include "base/ascii.h"

int base64_value(char c, enum base64_alphabet alphabet)
{
    if (ascii_is_upper(c)) {
        return c - 'A';
    }
    if (ascii_is_lower(c)) {
        return c - 'a' + 26;
    }
    if (ascii_is_digit(c)) {
        return c - '0' + 52;
    }
    if (alphabet != BASE64_URL && (c == '+' || c == '/')) {
        return c == '+' ? 62 : 63;
    }
    if (alphabet != BASE64_STANDARD && (c == '-' || c == '_')) {
        return c == '-' ? 62 : 63;
    }
    return -1;
}

char base64_character(unsigned value, enum base64_alphabet alphabet)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    if (value < 62) {
        return digits[value];
    }
    if (alphabet == BASE64_URL) {
        return value == 62 ? '-' : '_';
    }
    return value == 62 ? '+' : '/';
}

size_t base64_run(struct span text, enum base64_alphabet alphabet)
{
    size_t n = 0;

    while (n < text.len && base64_value(text.ptr[n], alphabet) >= 0) {
        n++;
    }
    return n;
}

/* True when what follows the run is nothing, or the padding that belongs to it. */
static bool is_padding(struct span text, size_t run)
{
    size_t padding = text.len - run;

    if (padding == 0) {
        return true;
    }
    if (padding > 2 || text.len % 4 != 0) {
        return false;
    }
    return text.ptr[run] == '=' && text.ptr[text.len - 1] == '=';
}

bool base64_decode(struct span text, enum base64_alphabet alphabet, uint8_t *out, size_t max,
                   size_t *len)
{
    size_t run = base64_run(text, alphabet);

    if (!is_padding(text, run) || run % 4 == 1 || run * 3 / 4 > max) {
        return false;
    }
    *len = ascii_base64_decode(span_slice(text, 0, run), (char *)out);
    return true;
}
