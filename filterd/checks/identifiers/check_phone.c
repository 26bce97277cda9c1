#include "base/ascii.h"
#include "formats/calling_codes.h"
#include "checks/checks_table.h"
#include "formats/numbering_plan.h"
#include "lexical/symbols.h"

/* E.164 ends numbers at 15 digits; 00 or 011 may be before. */
enum { DIGITS_MAX = 18, NORTH_AMERICA = 1 };

struct number {
    uint8_t digits[DIGITS_MAX];
    size_t n;
    bool has_plus;
};

/* An extension behind the number: x12, ext. 12, #12. */
static bool is_extension(struct span rest)
{
    char c = ascii_lower(rest.ptr[0]);

    return c == 'x' || c == '#' || c == ';' || ascii_starts_with(rest, "ext");
}

static bool read_number(struct span text, struct number *out)
{
    *out = (struct number){.n = 0};
    for (size_t at = 0; at < text.len;) {
        struct span rest = span_slice(text, at, text.len);
        size_t separator = symbols_separator(text, at);
        if (separator > 0) {
            at += separator;
        } else if (out->n > 0 && span_starts_with(rest, span_str("(0)"))) {
            at += 3; /* the trunk prefix, not dialled from abroad */
        } else if (rest.ptr[0] == '(' || rest.ptr[0] == ')') {
            at++;
        } else if (rest.ptr[0] == '+' && out->n == 0 && !out->has_plus) {
            out->has_plus = true;
            at++;
        } else if (ascii_is_digit(rest.ptr[0]) && out->n < DIGITS_MAX) {
            out->digits[out->n++] = (uint8_t)(rest.ptr[0] - '0');
            at++;
        } else {
            return out->n > 0 && is_extension(rest);
        }
    }
    return out->n > 0;
}

/* Digits of the prefix that calls abroad: 00, or 011 from North America. */
static size_t exit_prefix(const struct number *number)
{
    const uint8_t *d = number->digits;

    if (number->has_plus || number->n < 3 || d[0] != 0) {
        return 0;
    }
    if (d[1] == 0) {
        return 2;
    }
    return d[1] == 1 && d[2] == 1 ? 3 : 0;
}

static bool all_equal(const uint8_t *digits, size_t n)
{
    size_t i = 1;

    while (i < n && digits[i] == digits[0]) {
        i++;
    }
    return i >= n;
}

/* What is behind the exit prefix and the calling code; NULL when no code is known. */
static const struct calling_code *read_international(struct span value, struct number *number, struct span *national)
{
    if (!read_number(value, number)) {
        return NULL;
    }
    size_t skip = exit_prefix(number);
    const struct calling_code *code = calling_code_find(number->digits + skip, number->n - skip);
    if (code != NULL) {
        skip += code->digits;
        *national = span_of((const char *)number->digits + skip, number->n - skip);
    }
    return code;
}

/* Neither area nor exchange begins with 0 or 1 in North America; seven digits, without an area, are services of Canada. */
static bool is_north_american(const uint8_t *national, size_t n)
{
    enum { WITH_AREA = 10 };
    return national[0] >= 2 && (n < WITH_AREA || national[3] >= 2);
}

static bool phone_passes(struct span value, const struct check_args *args)
{
    struct number number;
    struct span national;
    const struct calling_code *code = read_international(value, &number, &national);

    (void)args;
    if (code == NULL || national.len < code->min || national.len > code->max) {
        return false;
    }
    const uint8_t *digits = (const uint8_t *)national.ptr;
    return !all_equal(digits, national.len) && (code->code != NORTH_AMERICA || is_north_american(digits, national.len));
}

static bool phone_plan_passes(struct span value, const struct check_args *args)
{
    struct number number;
    struct span national;
    const struct calling_code *code = read_international(value, &number, &national);

    (void)args;
    if (code == NULL) {
        return false;
    }
    const uint8_t *digits = (const uint8_t *)national.ptr;
    return numbering_plan_has(code->code, digits, national.len) && !all_equal(digits, national.len) &&
           (code->code != NORTH_AMERICA || is_north_american(digits, national.len));
}

const struct check_type check_phone = {
    .name = "phone",
    .summary = "passes when an international number has a calling code and a length of its plan",
    .passes = phone_passes,
};

const struct check_type check_phone_plan = {
    .name = "phone_plan",
    .summary = "passes when an international number has first digits and length that its numbering plan allows",
    .passes = phone_plan_passes,
};
