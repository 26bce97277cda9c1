#include "pipeline/array_parts.h"

#include "base/ascii.h"

enum {
    CODES_MIN = 8,
    CODE_DIGITS = 3,
    LEN_MIN = 8, /* a shorter string is no secret */
};

static size_t digits_end(struct span text, size_t at)
{
    return ascii_run_end(text, at, ASCII_DIGIT);
}

/* 69 and 69.0. */
struct span array_part_code(struct span text)
{
    size_t end = digits_end(text, 0), zeros = end + 1;

    while (zeros < text.len && text.ptr[zeros] == '0') {
        zeros++;
    }
    bool is_whole = end > 0 && zeros > end + 1 && zeros == text.len && text.ptr[end] == '.';
    return is_whole ? span_slice(text, 0, end) : text;
}

static bool is_prefixed(struct span text, char first, char second)
{
    return text.len > 2 && (text.ptr[0] | 0x20) == first && (text.ptr[1] | 0x20) == second;
}

/* A digit in quotes is one of a number. */
static bool is_code(enum json_kind kind, struct span text)
{
    text = array_part_code(text);
    if (digits_end(text, 0) == text.len) {
        return text.len <= CODE_DIGITS && text.len >= (kind == JSON_KIND_NUMBER ? 1U : 2U);
    }
    bool is_prefix = is_prefixed(text, '0', 'x') || is_prefixed(text, 'u', '+');
    size_t from = is_prefix ? 2 : 0, len = text.len - from;
    return ascii_run_end(text, from, ASCII_HEX) == text.len && (is_prefix ? len <= 6 : len == 2);
}

struct array_part_ends array_part_ends(struct span text)
{
    size_t to = 0, from = text.len;

    while (to < text.len && to < ARRAY_PART_END && !ascii_is(text.ptr[to], ASCII_SPACE)) {
        to++;
    }
    while (from > to && text.len - from < ARRAY_PART_END && !ascii_is(text.ptr[from - 1], ASCII_SPACE)) {
        from--;
    }
    return (struct array_part_ends){span_slice(text, 0, to), span_slice(text, from, text.len)};
}

bool array_parts_add(struct array_parts *p, enum json_kind kind, struct span text)
{
    bool code = is_code(kind, text), is_long = text.len > ARRAY_PART_MAX;

    p->n++;
    p->n_codes += code;
    p->n_strings += kind == JSON_KIND_STRING;
    p->n_long += is_long;
    if (is_long) {
        const struct array_part_ends ends = array_part_ends(text);
        p->len += ends.first.len + 1 + ends.last.len;
    } else {
        p->len += text.len;
    }
    return code || kind == JSON_KIND_STRING;
}

bool array_parts_are_plain(const struct array_parts *p)
{
    return p->n_long == 0 && (p->n_codes == p->n || p->n_strings == p->n);
}

bool array_parts_are_one(const struct array_parts *p)
{
    return p->n > 1 && p->len >= LEN_MIN && ((p->n_codes < p->n && p->n_strings == p->n) || p->n >= CODES_MIN);
}

bool array_parts_are_codes(const struct array_parts *p)
{
    return p->n_codes == p->n;
}
