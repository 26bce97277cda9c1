#include "lexical/symbols.h"

#include "base/ascii.h"


/* UTF-8 of what is between the digits of numbers copied from documents: no-break spaces,
 * the hyphens and dashes that word processors put. */
static const char *const wide_separators[] = {
    "\xc2\xa0",     "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x90",
    "\xe2\x80\x91", "\xe2\x80\x92", "\xe2\x80\x93", "\xe2\x88\x92",
};

size_t symbols_separator(struct span text, size_t at)
{
    struct span rest = span_slice(text, at, text.len);

    if (rest.len == 0) {
        return 0;
    }
    char c = rest.ptr[0];
    if (ascii_is_space(c) || c == '-' || c == '.' || c == '/') {
        return 1;
    }
    for (size_t i = 0; i < COUNT(wide_separators); i++) {
        struct span wide = span_str(wide_separators[i]);
        if (span_starts_with(rest, wide)) {
            return wide.len;
        }
    }
    return 0;
}

bool symbols_read(struct span text, struct symbols *out)
{
    out->n = 0;
    for (size_t at = 0; at < text.len;) {
        char c = text.ptr[at];
        size_t separator = symbols_separator(text, at);
        if (separator > 0) {
            at += separator;
            continue;
        }
        if (!ascii_is_alnum(c) || out->n == SYMBOLS_MAX) {
            return false;
        }
        out->value[out->n++] = (uint8_t)(ascii_is_digit(c) ? c - '0' : ascii_lower(c) - 'a' + 10);
        at++;
    }
    return out->n > 0;
}

bool symbols_read_digits(struct span text, struct symbols *out)
{
    if (!symbols_read(text, out)) {
        return false;
    }
    for (size_t i = 0; i < out->n; i++) {
        if (out->value[i] > 9) {
            return false;
        }
    }
    return true;
}

bool symbols_read_exactly(struct span text, size_t n, struct symbols *out)
{
    return symbols_read_digits(text, out) && out->n == n;
}

bool symbols_have_shape(const struct symbols *s, const char *shape)
{
    if (strlen(shape) != s->n) {
        return false;
    }
    for (size_t i = 0; i < s->n; i++) {
        bool is_digit = s->value[i] <= 9;
        if (shape[i] != '*' && is_digit != (shape[i] == '9')) {
            return false;
        }
    }
    return true;
}

bool symbols_all_equal(const struct symbols *s)
{
    for (size_t i = 1; i < s->n; i++) {
        if (s->value[i] != s->value[0]) {
            return false;
        }
    }
    return true;
}

uint64_t symbols_number(const struct symbols *s, size_t from, size_t to)
{
    uint64_t number = 0;

    for (size_t i = from; i < to; i++) {
        number = number * 10 + s->value[i];
    }
    return number;
}

char symbols_character(uint8_t value)
{
    return (char)(value <= 9 ? '0' + value : 'A' + value - 10);
}
