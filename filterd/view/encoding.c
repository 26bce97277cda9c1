#include "view/encoding.h"

#include "text/utf8.h"

enum { REPLACEMENT = 0xfffd, SUPPLEMENTARY = 0x10000, CODE_POINT_MAX = 0x10ffff };

/* UTF-32 in front of UTF-16, whose mark is the beginning of its own. */
static const struct mark {
    const char *bytes;
    size_t len;
    unsigned unit;
    bool is_big;
} marks[] = {
    {"\xff\xfe\0\0", 4, 4, false}, {"\0\0\xfe\xff", 4, 4, true}, {"\xff\xfe", 2, 2, false},
    {"\xfe\xff", 2, 2, true},      {"\xef\xbb\xbf", 3, 1, false},
};

size_t encoding_detect(struct span start, struct encoding *out)
{
    for (size_t i = 0; i < COUNT(marks); i++) {
        if (start.len >= marks[i].len && memcmp(start.ptr, marks[i].bytes, marks[i].len) == 0) {
            *out = (struct encoding){.unit = marks[i].unit, .is_big = marks[i].is_big};
            return marks[i].len;
        }
    }
    *out = (struct encoding){.unit = 1};
    return 0;
}

bool encoding_needs_more(struct span start)
{
    for (size_t i = 0; i < COUNT(marks); i++) {
        if (start.len > 0 && start.len < marks[i].len && memcmp(start.ptr, marks[i].bytes, start.len) == 0) {
            return true;
        }
    }
    return false;
}

static bool put(uint32_t c, struct buf *out, struct error *err)
{
    char bytes[4];
    bool is_valid = c <= CODE_POINT_MAX && (c & ~0x7ffU) != 0xd800;

    return buf_append(out, span_of(bytes, utf8_encode(is_valid ? c : REPLACEMENT, bytes)), err);
}

static uint32_t unit_value(const struct encoding *e, const unsigned char *bytes)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < e->unit; i++) {
        value = value << 8 | bytes[e->is_big ? i : e->unit - 1 - i];
    }
    return value;
}

static bool take_unit(struct encoding *e, uint32_t unit, struct buf *out, struct error *err)
{
    uint32_t high = e->high;

    if (e->unit == 4) {
        return put(unit, out, err);
    }
    e->high = 0;
    if (high != 0 && (unit & 0xfc00) == 0xdc00) {
        return put(SUPPLEMENTARY + ((high & 0x3ff) << 10 | (unit & 0x3ff)), out, err);
    }
    if (high != 0 && !put(REPLACEMENT, out, err)) {
        return false;
    }
    if ((unit & 0xfc00) == 0xd800) {
        e->high = unit;
        return true;
    }
    return put(unit, out, err);
}

bool encoding_append(struct encoding *e, struct span piece, struct buf *out, struct error *err)
{
    for (size_t i = 0; i < piece.len; i++) {
        e->part[e->n_part++] = (unsigned char)piece.ptr[i];
        if (e->n_part == e->unit) {
            e->n_part = 0;
            if (!take_unit(e, unit_value(e, e->part), out, err)) {
                return false;
            }
        }
    }
    return true;
}

bool encoding_end(struct encoding *e, struct buf *out, struct error *err)
{
    bool is_cut = e->n_part > 0 || e->high != 0;

    e->n_part = 0;
    e->high = 0;
    return !is_cut || put(REPLACEMENT, out, err);
}
