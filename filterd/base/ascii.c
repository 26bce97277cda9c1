#include "base/ascii.h"

enum {
    DIGIT = ASCII_DIGIT | ASCII_HEX | ASCII_BASE64 | ASCII_TOKEN | ASCII_PRINT,
    UPPER = ASCII_UPPER | ASCII_BASE64 | ASCII_TOKEN | ASCII_PRINT,
    LOWER = ASCII_LOWER | ASCII_BASE64 | ASCII_TOKEN | ASCII_PRINT,
    BASE64 = ASCII_BASE64 | ASCII_TOKEN | ASCII_PRINT,
    TOKEN = ASCII_TOKEN | ASCII_PRINT,
    PRINT = ASCII_PRINT,
    UPPER_HEX = UPPER | ASCII_HEX,
    LOWER_HEX = LOWER | ASCII_HEX,
};

const uint8_t ascii_classes[256] = {
    [' '] = ASCII_SPACE | ASCII_PRINT,
    ['\t'] = ASCII_SPACE | ASCII_PRINT,
    ['\n'] = ASCII_SPACE | ASCII_PRINT,
    ['\r'] = ASCII_SPACE | ASCII_PRINT,
    ['\v'] = ASCII_SPACE,
    ['\f'] = ASCII_SPACE,
    ['0'] = DIGIT,
    ['1'] = DIGIT,
    ['2'] = DIGIT,
    ['3'] = DIGIT,
    ['4'] = DIGIT,
    ['5'] = DIGIT,
    ['6'] = DIGIT,
    ['7'] = DIGIT,
    ['8'] = DIGIT,
    ['9'] = DIGIT,
    ['A'] = UPPER_HEX,
    ['B'] = UPPER_HEX,
    ['C'] = UPPER_HEX,
    ['D'] = UPPER_HEX,
    ['E'] = UPPER_HEX,
    ['F'] = UPPER_HEX,
    ['G'] = UPPER,
    ['H'] = UPPER,
    ['I'] = UPPER,
    ['J'] = UPPER,
    ['K'] = UPPER,
    ['L'] = UPPER,
    ['M'] = UPPER,
    ['N'] = UPPER,
    ['O'] = UPPER,
    ['P'] = UPPER,
    ['Q'] = UPPER,
    ['R'] = UPPER,
    ['S'] = UPPER,
    ['T'] = UPPER,
    ['U'] = UPPER,
    ['V'] = UPPER,
    ['W'] = UPPER,
    ['X'] = UPPER,
    ['Y'] = UPPER,
    ['Z'] = UPPER,
    ['a'] = LOWER_HEX,
    ['b'] = LOWER_HEX,
    ['c'] = LOWER_HEX,
    ['d'] = LOWER_HEX,
    ['e'] = LOWER_HEX,
    ['f'] = LOWER_HEX,
    ['g'] = LOWER,
    ['h'] = LOWER,
    ['i'] = LOWER,
    ['j'] = LOWER,
    ['k'] = LOWER,
    ['l'] = LOWER,
    ['m'] = LOWER,
    ['n'] = LOWER,
    ['o'] = LOWER,
    ['p'] = LOWER,
    ['q'] = LOWER,
    ['r'] = LOWER,
    ['s'] = LOWER,
    ['t'] = LOWER,
    ['u'] = LOWER,
    ['v'] = LOWER,
    ['w'] = LOWER,
    ['x'] = LOWER,
    ['y'] = LOWER,
    ['z'] = LOWER,
    ['+'] = BASE64,
    ['-'] = BASE64,
    ['/'] = BASE64,
    ['_'] = BASE64,
    ['.'] = TOKEN,
    [':'] = TOKEN,
    ['='] = TOKEN,
    ['@'] = TOKEN,
    ['%'] = TOKEN,
    ['~'] = TOKEN,
    ['!'] = PRINT,
    ['"'] = PRINT,
    ['#'] = PRINT,
    ['$'] = PRINT,
    ['&'] = PRINT,
    ['\''] = PRINT,
    ['('] = PRINT,
    [')'] = PRINT,
    ['*'] = PRINT,
    [','] = PRINT,
    [';'] = PRINT,
    ['<'] = PRINT,
    ['>'] = PRINT,
    ['?'] = PRINT,
    ['['] = PRINT,
    ['\\'] = PRINT,
    [']'] = PRINT,
    ['^'] = PRINT,
    ['`'] = PRINT,
    ['{'] = PRINT,
    ['|'] = PRINT,
    ['}'] = PRINT,
};

const uint8_t ascii_hex_values[256] = {
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  16, 16, 16, 16, 16, 16, 16, 10, 11, 12, 13, 14, 15, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
};

const uint8_t ascii_base64_values[256] = {
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 62, 64, 62, 64, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 64, 64, 64, 64, 64, 64, 64, 0,  1,  2,  3,  4,  5,  6,
    7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 64, 64, 64, 64, 63,
    64, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
    49, 50, 51, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
};

/* Four characters at a time: the views of text decode every run that they meet. */
size_t ascii_base64_decode(struct span run, char *out)
{
    const uint8_t *value = ascii_base64_values;
    size_t n = 0, i = 0;
    uint32_t last = 0;

    for (; i + 4 <= run.len; i += 4) {
        const unsigned char *c = (const unsigned char *)run.ptr + i;
        uint32_t quantum = (uint32_t)(value[c[0]] << 18 | value[c[1]] << 12 | value[c[2]] << 6 | value[c[3]]);
        out[n] = (char)(quantum >> 16);
        out[n + 1] = (char)(quantum >> 8);
        out[n + 2] = (char)quantum;
        n += 3;
    }
    for (size_t k = i; k < run.len; k++) {
        last |= (uint32_t)value[(unsigned char)run.ptr[k]] << (18 - 6 * (k - i));
    }
    for (size_t rest = run.len - i; rest > 1; rest--) {
        out[n++] = (char)(last >> 16);
        last <<= 8;
    }
    return n;
}
