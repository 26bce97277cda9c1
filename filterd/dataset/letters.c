#include "dataset/letters.h"

#include "text/fold_table.h"
#include "text/utf8.h"

const char letters_ascii[128] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6', ['7'] = '7', ['8'] = '8',
    ['9'] = '9', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h',
    ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q',
    ['r'] = 'r', ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
    ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i',
    ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r',
    ['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z',
};

/* Ranges of capitals in ascending order, and how far their small letters are. Where these alternate, each `step`th is a capital. */
static const struct {
    uint32_t first, last;
    int32_t distance;
    uint32_t step;
} capitals[] = {
    {0xc0, 0xd6, 0x20, 1},     {0xd8, 0xde, 0x20, 1},     /* Latin */
    {0x100, 0x136, 1, 2},      {0x139, 0x147, 1, 2},      {0x14a, 0x176, 1, 2},  {0x178, 0x178, -0x79, 1},
    {0x179, 0x17d, 1, 2},      {0x18f, 0x18f, 0xca, 1},
    {0x386, 0x386, 0x26, 1},   {0x388, 0x38a, 0x25, 1},   {0x38c, 0x38c, 0x40, 1}, {0x38e, 0x38f, 0x3f, 1}, /* Greek */
    {0x391, 0x3ab, 0x20, 1},   {0x3c2, 0x3c2, 1, 1}, /* a sigma that ends a word has the same capital */
    {0x400, 0x40f, 0x50, 1},   {0x410, 0x42f, 0x20, 1},   {0x460, 0x480, 1, 2},  {0x48a, 0x4be, 1, 2}, /* Cyrillic */
    {0x4c1, 0x4cd, 1, 2},      {0x4d0, 0x52e, 1, 2},
    {0x531, 0x556, 0x30, 1},   /* Armenian */
    {0x1c90, 0x1cba, -0xbc0, 1}, {0x1cbd, 0x1cbf, -0xbc0, 1}, /* Georgian */
    {0x1e00, 0x1e94, 1, 2},    {0x1ea0, 0x1efe, 1, 2},    /* Latin with two marks */
};

static uint32_t lower_case(uint32_t code)
{
    for (size_t i = 0; i < COUNT(capitals) && code >= capitals[i].first; i++) {
        if (code <= capitals[i].last && (code - capitals[i].first) % capitals[i].step == 0) {
            return code + (uint32_t)capitals[i].distance;
        }
    }
    return code;
}

/* Scripts that are written without spaces. */
static const struct {
    uint32_t first, last;
} ideographs[] = {{0x3041, 0x30ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0x20000, 0x3ffff}};

static bool is_ideograph(uint32_t code)
{
    for (size_t i = 0; i < COUNT(ideographs); i++) {
        if (code >= ideographs[i].first && code <= ideographs[i].last) {
            return true;
        }
    }
    return false;
}

static void set_code(struct letter *letter, enum letter_kind kind, uint32_t code)
{
    letter->kind = kind;
    letter->n = (uint8_t)utf8_encode(code, letter->bytes);
}

enum { SHARP_S = 0xdf };

/* One ASCII character, which may be no letter. */
static void add_ascii(struct letter *letter, unsigned char c)
{
    char folded = c < 0x80 ? letters_ascii[c] : 0;

    if (folded != 0) {
        letter->bytes[letter->n++] = folded;
        letter->kind = folded <= '9' ? LETTER_DIGIT : LETTER_ALPHABET;
    }
}

struct letter letter_wide(struct span text, size_t at)
{
    size_t len;
    uint32_t code = lower_case(utf8_decode(span_slice(text, at, text.len), &len));
    uint16_t value = fold_value(code);
    struct letter letter = {.kind = LETTER_GAP, .len = (uint8_t)len};

    if (code == SHARP_S) { /* whose capital is written SS */
        add_ascii(&letter, 's');
        add_ascii(&letter, 's');
        return letter;
    }
    switch (fold_kind(value)) {
    case FOLD_DROP:
    case FOLD_MARK:
        letter.kind = LETTER_DROPPED;
        break;
    case FOLD_FOREIGN:
        set_code(&letter, is_ideograph(code) ? LETTER_IDEOGRAPH : LETTER_ALPHABET, code);
        break;
    case FOLD_CONFUSABLE:
    case FOLD_LATIN:
    case FOLD_COMPAT:
        add_ascii(&letter, (unsigned char)fold_payload(value));
        break;
    case FOLD_STRING:
        for (const char *c = fold_strings[fold_payload(value)]; *c != '\0'; c++) {
            add_ascii(&letter, (unsigned char)*c);
        }
        break;
    case FOLD_BREAK:
        if (is_ideograph(code)) {
            set_code(&letter, LETTER_IDEOGRAPH, code);
        }
        break;
    case FOLD_DASH:
    case FOLD_SPACE:
        break;
    }
    return letter;
}
