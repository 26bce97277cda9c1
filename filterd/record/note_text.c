#include "record/note_text.h"

#include "record/note.h"

/* Spaces of Unicode beyond ASCII, from the first to the last code point. */
static const struct {
    uint32_t first, last;
} spaces[] = {{0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
              {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

/* The code point at the front and its length; 0: not UTF-8. */
static size_t decode(struct span s, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t lead = (uint8_t)s.ptr[0];
    size_t n = lead < 0x80 ? 1 : (lead & 0xE0) == 0xC0 ? 2 : (lead & 0xF0) == 0xE0 ? 3 : (lead & 0xF8) == 0xF0 ? 4 : 0;

    if (n == 0 || n > s.len) {
        return 0;
    }
    *point = n == 1 ? lead : lead & (0x7FU >> n);
    for (size_t i = 1; i < n; i++) {
        uint8_t c = (uint8_t)s.ptr[i];
        if ((c & 0xC0) != 0x80) {
            return 0;
        }
        *point = *point << 6 | (c & 0x3F);
    }
    bool is_surrogate = *point >= 0xD800 && *point <= 0xDFFF;
    return *point < least[n] || *point > 0x10FFFF || is_surrogate ? 0 : n;
}

bool note_text_is_valid(struct span text)
{
    uint32_t point;

    while (text.len > 0) {
        size_t n = decode(text, &point);
        if (n == 0 || (point < 0x20 && point != '\n')) {
            return false;
        }
        text = span_slice(text, n, text.len);
    }
    return true;
}

static bool is_space(uint32_t point)
{
    for (size_t i = 0; i < COUNT(spaces); i++) {
        if (point >= spaces[i].first && point <= spaces[i].last) {
            return true;
        }
    }
    return point <= ' ';
}

bool note_name_is_valid(struct span name)
{
    uint32_t point;

    if (name.len == 0 || name.len > NOTE_NAME_MAX) {
        return false;
    }
    while (name.len > 0) {
        size_t n = decode(name, &point);
        if (n == 0 || point == '+' || is_space(point)) {
            return false;
        }
        name = span_slice(name, n, name.len);
    }
    return true;
}

bool note_take_line(struct span *rest, struct span *line)
{
    const char *end = rest->len == 0 ? NULL : memchr(rest->ptr, '\n', rest->len);

    if (end == NULL) {
        return false;
    }
    size_t n = (size_t)(end - rest->ptr);
    *line = span_of(rest->ptr, n);
    *rest = span_slice(*rest, n + 1, rest->len);
    return true;
}

bool note_read_number(struct span text, uint64_t *out)
{
    uint64_t value = 0;

    if (text.len == 0 || (text.ptr[0] == '0' && text.len > 1)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(uint8_t)text.ptr[i] - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}
