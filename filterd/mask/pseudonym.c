#include "mask/pseudonym.h"

#include <stdio.h>

#include "base/ascii.h"
#include "checks/checksum.h"
#include "formats/iban_lengths.h"

enum { CARD_MIN = 13, CARD_MAX = 19, PHONE_MAX = 15, IBAN_BANK = 4, DIGITS_MAX = 40 };

static const char hex_digits[] = "0123456789abcdef";

/* Digits and letters drawn from a digest, one byte each; the digest is repeated when it is used up. */
struct draw {
    const uint8_t *digest;
    size_t at;
};

static unsigned draw_below(struct draw *d, unsigned n)
{
    unsigned byte = d->digest[d->at++ % PSEUDONYM_DIGEST];

    return (byte + (unsigned)(d->at / PSEUDONYM_DIGEST)) % n;
}

static char draw_digit(struct draw *d)
{
    return (char)('0' + draw_below(d, 10));
}

void pseudonym_label(const struct masked_value *v, const uint8_t digest[PSEUDONYM_DIGEST], unsigned n, struct pseudonym *out)
{
    size_t digits = 4 + 2 * (size_t)n;

    *out = (struct pseudonym){.text = "[", .len = 1};
    for (size_t i = 0; i < v->kind.len && out->len <= MASKING_KIND_MAX; i++) {
        char c = ascii_lower(v->kind.ptr[i]);
        out->text[out->len++] = ascii_is(c, ASCII_DIGIT | ASCII_LOWER) ? c : '-';
    }
    out->text[out->len++] = '-';
    out->stem = out->len;
    for (size_t i = 0; i < digits; i++) {
        out->text[out->len++] = hex_digits[digest[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    }
    out->text[out->len++] = ']';
}

/* --- numbers that keep their grouping -------------------------------------------- */

/* The digits of a value, as values from 0 to 9; false when there are none or more than `max`, or something else than
 * separators is between them. */
static bool read_digits(struct span value, size_t max, uint8_t *digits, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (!ascii_is_digit(c) && strchr(" -./()+", c) == NULL) {
            return false;
        }
        if (ascii_is_digit(c)) {
            if (*n == max) {
                return false;
            }
            digits[(*n)++] = (uint8_t)(c - '0');
        }
    }
    return *n > 0;
}

/* The value with its digits replaced one by one; as many as it has. */
static bool put_digits(struct span value, const uint8_t *digits, struct pseudonym *out)
{
    *out = (struct pseudonym){0};
    if (value.len > sizeof(out->text)) {
        return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        out->text[out->len++] = ascii_is_digit(c) ? (char)('0' + *digits++) : c;
    }
    return true;
}

/* The last digit is the one that makes the number valid. */
static void put_luhn_digit(uint8_t *digits, size_t n)
{
    for (uint8_t d = 0; d < 10; d++) {
        digits[n - 1] = d;
        if (checksum_luhn(digits, n, 10)) {
            return;
        }
    }
}

static bool form_card(const struct masked_value *v, struct draw *d, struct pseudonym *out)
{
    static const uint8_t test_range[] = {4, 1, 1, 1, 1, 1};
    uint8_t digits[CARD_MAX];
    size_t n;

    if (!read_digits(v->value, CARD_MAX, digits, &n) || n < CARD_MIN) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        digits[i] = i < COUNT(test_range) ? test_range[i] : (uint8_t)draw_below(d, 10);
    }
    put_luhn_digit(digits, n);
    return put_digits(v->value, digits, out);
}

/* --- phones ---------------------------------------------------------------------- */

/* Numbers that are set aside for fiction by who assigns them: the digits after the calling code; 'x' is any, 'a' from 2 to 9. */
struct fiction {
    const char *calling_code, *national;
};

static const struct fiction fictions[] = {
    {"1", "a1a55501xx"},    /* NANPA: 555-0100 to 555-0199 of every area code */
    {"44", "7700900xxx"},   /* Ofcom: mobile numbers for drama */
    {"33", "63998xxxx"},    /* ARCEP: 06 39 98 */
    {"49", "3023125xxx"},   /* Bundesnetzagentur: Berlin, (0)30 23125 000 to 999 */
};

static const struct fiction *find_fiction(const uint8_t *digits, size_t n)
{
    for (size_t i = 0; i < COUNT(fictions); i++) {
        size_t len = strlen(fictions[i].calling_code), at = 0;
        while (at < len && at < n && fictions[i].calling_code[at] - '0' == digits[at]) {
            at++;
        }
        if (at == len) {
            return &fictions[i];
        }
    }
    return NULL;
}

static void draw_national(struct draw *d, const char *national, uint8_t *digits)
{
    for (size_t i = 0; national[i] != '\0'; i++) {
        char c = national[i];
        digits[i] = c == 'x'   ? (uint8_t)draw_below(d, 10)
                    : c == 'a' ? (uint8_t)(2 + draw_below(d, 8))
                               : (uint8_t)(c - '0');
    }
}

/* With as many digits as the value its grouping stays, otherwise the number is written without one. */
static bool form_phone(const struct masked_value *v, struct draw *d, struct pseudonym *out)
{
    uint8_t digits[PHONE_MAX], fiction[PHONE_MAX + 1];
    size_t n;

    bool is_international = v->value.len > 0 && v->value.ptr[0] == '+';
    if (!read_digits(v->value, PHONE_MAX, digits, &n) || (!is_international && n != 10)) {
        return false;
    }
    const struct fiction *f = is_international ? find_fiction(digits, n) : &fictions[0];
    if (f == NULL) {
        return false;
    }
    size_t code = is_international ? strlen(f->calling_code) : 0, all = code + strlen(f->national);
    for (size_t i = 0; i < code; i++) {
        fiction[i] = (uint8_t)(f->calling_code[i] - '0');
    }
    draw_national(d, f->national, fiction + code);
    if (all == n) {
        return put_digits(v->value, fiction, out);
    }
    *out = (struct pseudonym){.text = "+", .len = 1};
    for (size_t i = 0; i < all; i++) {
        out->text[out->len++] = (char)('0' + fiction[i]);
    }
    return true;
}

/* --- addresses and accounts ------------------------------------------------------ */

static bool form_email(const struct masked_value *v, struct draw *d, struct pseudonym *out)
{
    if (memchr(v->value.ptr, '@', v->value.len) == NULL) {
        return false;
    }
    *out = (struct pseudonym){0};
    out->len = (size_t)snprintf(out->text, sizeof(out->text), "email-%02x%02x%02x%02x@example.com", draw_below(d, 256),
                                draw_below(d, 256), draw_below(d, 256), draw_below(d, 256));
    return true;
}

/* Digits and capital letters of an IBAN; false when it is none. */
static bool read_iban(struct span value, char *iban, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == ' ' || c == '-') {
            continue;
        }
        if (*n == IBAN_LENGTH_MAX || !ascii_is_alnum(c)) {
            return false;
        }
        iban[(*n)++] = ascii_is_lower(c) ? (char)(c - 'a' + 'A') : c;
    }
    return *n > IBAN_BANK + 4 && *n == iban_length(iban[0], iban[1]);
}

/* Sets the two check digits behind the country (ISO 13616): 98 less the remainder of the rest, country and "00". */
static void put_iban_check(char *iban, size_t n)
{
    uint8_t values[IBAN_LENGTH_MAX];

    iban[2] = iban[3] = '0';
    for (size_t i = 0; i < n; i++) {
        char c = iban[(i + 4) % n];
        values[i] = (uint8_t)(ascii_is_digit(c) ? c - '0' : c - 'A' + 10);
    }
    unsigned check = 98 - checksum_mod97(values, n);
    iban[2] = (char)('0' + check / 10);
    iban[3] = (char)('0' + check % 10);
}

static bool form_iban(const struct masked_value *v, struct draw *d, struct pseudonym *out)
{
    char iban[IBAN_LENGTH_MAX];
    size_t n, at = 0;

    if (v->value.len > sizeof(out->text) || !read_iban(v->value, iban, &n)) {
        return false;
    }
    for (size_t i = 4; i < n; i++) {
        bool is_digit = ascii_is_digit(iban[i]);
        if (i < 4 + IBAN_BANK) {
            iban[i] = is_digit ? '0' : 'X';
        } else {
            iban[i] = is_digit ? draw_digit(d) : (char)('A' + draw_below(d, 26));
        }
    }
    put_iban_check(iban, n);
    *out = (struct pseudonym){0};
    for (size_t i = 0; i < v->value.len; i++) {
        char c = v->value.ptr[i];
        out->text[out->len++] = c == ' ' || c == '-' ? c : iban[at++];
    }
    return true;
}

bool pseudonym_form(const struct masked_value *v, const uint8_t digest[PSEUDONYM_DIGEST], struct pseudonym *out)
{
    static bool (*const forms[])(const struct masked_value *v, struct draw *d, struct pseudonym *out) = {
        [MASKING_CARD] = form_card, [MASKING_PHONE] = form_phone, [MASKING_EMAIL] = form_email, [MASKING_IBAN] = form_iban};
    struct draw d = {.digest = digest};

    return v->form != MASKING_LABEL && forms[v->form](v, &d, out);
}
