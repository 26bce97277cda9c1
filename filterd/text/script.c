#include "text/script.h"

#include <stdint.h>

/* Blocks of the Unicode character database, joined where what lies between is another such script; by their ends. */
static const struct {
    uint32_t first, last;
} letters[] = {
    {0x370, 0x1cff},   /* Greek to Vedic marks */
    {0x1f00, 0x1fff},  /* Greek with breathings */
    {0x2c00, 0x2c5f},  /* Glagolitic */
    {0x2c80, 0x2dff},  /* Coptic to Cyrillic marks */
    {0x3041, 0x318f},  /* kana, bopomofo, Hangul letters */
    {0x31a0, 0x31ff},  /* bopomofo and kana, more of them */
    {0x3400, 0x4dbf},  /* Han, rare */
    {0x4e00, 0xa69f},  /* Han, Yi, Vai, Cyrillic */
    {0xa800, 0xab2f},  /* Syloti Nagri to Ethiopic */
    {0xab70, 0xfaff},  /* Cherokee, Meetei Mayek, Hangul, Han; surrogates and private use are in no text */
    {0xfb13, 0xfdff},  /* Armenian, Hebrew, Arabic, as ligatures */
    {0xfe70, 0xfefe},  /* Arabic, in its forms */
    {0xff66, 0xffdc},  /* kana and Hangul, of half width */
    {0x10300, 0x1cfff}, /* historic scripts */
    {0x1e000, 0x1efff}, /* N'Ko to Arabic */
    {0x20000, 0x3ffff}, /* Han, rarer */
};

static bool is_other(uint32_t code_point)
{
    size_t i = 0;

    while (i < COUNT(letters) && letters[i].last < code_point) {
        i++;
    }
    return i < COUNT(letters) && letters[i].first <= code_point;
}

/* The length of the character at the front, 1 for a byte that begins none; *code_point is 0 then. */
static size_t read_character(const unsigned char *at, size_t left, uint32_t *code_point)
{
    size_t len = at[0] < 0xc2 || at[0] > 0xf4 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint32_t value = at[0] & (0xffU >> (len + 1));

    *code_point = 0;
    if (len == 1 || len > left) {
        return 1;
    }
    for (size_t i = 1; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 1;
        }
        value = value << 6 | (at[i] & 0x3f);
    }
    *code_point = value;
    return len;
}

size_t script_other(struct span text)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t n = 0, before = 0; /* bytes of the letter before, while it is the only one */
    bool is_run = false;

    for (size_t i = 0; i < text.len;) {
        uint64_t eight = UINT64_MAX;
        uint32_t code_point;
        if (text.len - i >= sizeof(eight)) {
            memcpy(&eight, bytes + i, sizeof(eight));
            if ((eight & 0x8080808080808080U) == 0) {
                i += sizeof(eight);
                is_run = false;
                before = 0;
                continue;
            }
        }
        size_t len = read_character(bytes + i, text.len - i, &code_point);
        bool is_letter = is_other(code_point);
        n += !is_letter ? 0 : is_run ? len : before > 0 ? before + len : 0;
        is_run = is_letter && (is_run || before > 0);
        before = is_letter ? len : 0;
        i += len;
    }
    return n;
}
