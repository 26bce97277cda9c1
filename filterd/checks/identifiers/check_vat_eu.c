/* Numbers for value added tax of the European Union and its neighbours, each by the rule of its country
 * (VIES' structures and the member states' check digits). The two letters of the country come first. */
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

/* What is behind the letters of the country. */
struct vat {
    const uint8_t *d;
    size_t n;
};

static uint64_t number_of(const uint8_t *d, size_t n)
{
    uint64_t number = 0;

    for (size_t i = 0; i < n; i++) {
        number = number * 10 + d[i];
    }
    return number;
}

static long weighted(const struct vat *v, const int8_t *weights, size_t n)
{
    return checksum_weighted(v->d, weights, n);
}

static bool vat_at(const struct vat *v)
{
    unsigned sum = 4;

    for (size_t i = 1; i < 8; i++) {
        unsigned product = v->d[i] * (i % 2 == 0 ? 2u : 1u);
        sum += product / 10 + product % 10;
    }
    return symbols_character(v->d[0]) == 'U' && (10 - sum % 10) % 10 == v->d[8];
}

static bool vat_be(const struct vat *v)
{
    return v->d[0] <= 1 && 97 - number_of(v->d, 8) % 97 == number_of(v->d + 8, 2);
}

static bool vat_bg(const struct vat *v)
{
    static const int8_t first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const int8_t second[8] = {3, 4, 5, 6, 7, 8, 9, 10};
    long remainder = weighted(v, first, 8) % 11;

    remainder = remainder == 10 ? weighted(v, second, 8) % 11 % 10 : remainder;
    return remainder == v->d[8];
}

/* Persons: the civil number, the foreigners' number, or the number of others. */
static bool vat_bg_person(const struct vat *v)
{
    static const int8_t civil[9] = {2, 4, 8, 5, 10, 9, 7, 3, 6};
    static const int8_t foreign[9] = {21, 19, 17, 13, 11, 9, 7, 3, 1};
    static const int8_t other[9] = {4, 3, 2, 7, 6, 5, 4, 3, 2};

    return weighted(v, civil, 9) % 11 % 10 == v->d[9] || weighted(v, foreign, 9) % 10 == v->d[9] ||
           checksum_complement(weighted(v, other, 9), 11) == v->d[9];
}

static bool vat_cy(const struct vat *v)
{
    static const uint8_t odd[10] = {1, 0, 5, 7, 9, 13, 15, 17, 19, 21};
    unsigned sum = 0;

    for (size_t i = 0; i < 8; i++) {
        sum += i % 2 == 0 ? odd[v->d[i]] : v->d[i];
    }
    return symbols_character(v->d[8]) == (char)('A' + sum % 26);
}

static bool vat_cz(const struct vat *v)
{
    static const int8_t weights[7] = {8, 7, 6, 5, 4, 3, 2};

    return (11 - weighted(v, weights, 7) % 11) % 10 == v->d[7] && v->d[0] != 9;
}

static bool vat_cz_person(const struct vat *v)
{
    return number_of(v->d, 9) % 11 % 10 == v->d[9];
}

static bool vat_hybrid(const struct vat *v)
{
    return checksum_hybrid(v->d, v->n, 10);
}

static bool vat_dk(const struct vat *v)
{
    static const int8_t weights[8] = {2, 7, 6, 5, 4, 3, 2, 1};

    return v->d[0] != 0 && weighted(v, weights, 8) % 11 == 0;
}

static bool vat_ee(const struct vat *v)
{
    static const int8_t weights[9] = {3, 7, 1, 3, 7, 1, 3, 7, 1};

    return weighted(v, weights, 9) % 10 == 0;
}

static bool vat_el(const struct vat *v)
{
    long sum = 0;

    for (size_t i = 0; i < 8; i++) {
        sum += (long)v->d[i] << (8 - i);
    }
    return sum % 11 % 10 == v->d[8];
}

static bool vat_fi(const struct vat *v)
{
    static const int8_t weights[8] = {7, 9, 10, 5, 8, 4, 2, 1};

    return weighted(v, weights, 8) % 11 == 0;
}

/* The key is computed from the company's number; keys with a letter have a rule that is not public. */
static bool vat_fr(const struct vat *v)
{
    return checksum_luhn(v->d + 2, 9, 10) && (12 + 3 * (number_of(v->d + 2, 9) % 97)) % 97 == number_of(v->d, 2);
}

static bool vat_hu(const struct vat *v)
{
    static const int8_t weights[8] = {9, 7, 3, 1, 9, 7, 3, 1};

    return weighted(v, weights, 8) % 10 == 0;
}

static bool vat_ie(const struct vat *v)
{
    static const int8_t weights[7] = {8, 7, 6, 5, 4, 3, 2};
    long sum = weighted(v, weights, 7);

    if (v->n == 9) {
        char second = symbols_character(v->d[8]);
        sum += second == 'W' || second == 'T' ? 0 : 9 * (second - 'A' + 1);
    }
    return symbols_character(v->d[7]) == "WABCDEFGHIJKLMNOPQRSTUV"[sum % 23];
}

static bool vat_luhn(const struct vat *v)
{
    return checksum_luhn(v->d, v->n, 10);
}

static bool vat_lt(const struct vat *v)
{
    long first = 0;
    long second = 0;

    for (size_t i = 0; i + 1 < v->n; i++) {
        first += (long)v->d[i] * (long)(i % 9 + 1);
        second += (long)v->d[i] * (long)((i + 2) % 9 + 1);
    }
    return v->d[v->n - 2] == 1 && (first % 11 == 10 ? second % 11 % 10 : first % 11) == v->d[v->n - 1];
}

static bool vat_lu(const struct vat *v)
{
    return number_of(v->d, 6) % 89 == number_of(v->d + 6, 2);
}

static bool vat_lv(const struct vat *v)
{
    static const int8_t weights[11] = {9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1};

    return v->d[0] >= 4 && weighted(v, weights, 11) % 11 == 3;
}

static bool vat_mt(const struct vat *v)
{
    static const int8_t weights[8] = {3, 4, 6, 7, 8, 9, 10, 1};

    return weighted(v, weights, 8) % 37 == 0;
}

/* The citizen number's test, or since 2020 mod 97 over the whole. */
static bool vat_nl(const struct vat *v)
{
    static const int8_t weights[9] = {9, 8, 7, 6, 5, 4, 3, 2, -1};
    uint8_t whole[14] = {23, 21}; /* N, L */

    memcpy(whole + 2, v->d, 12);
    return symbols_character(v->d[9]) == 'B' && (weighted(v, weights, 9) % 11 == 0 || checksum_mod97(whole, 14) == 1);
}

static bool vat_pl(const struct vat *v)
{
    static const int8_t weights[9] = {6, 5, 7, 2, 3, 4, 5, 6, 7};

    return weighted(v, weights, 9) % 11 == v->d[9];
}

static bool vat_pt(const struct vat *v)
{
    static const int8_t weights[8] = {9, 8, 7, 6, 5, 4, 3, 2};

    return v->d[0] != 0 && checksum_complement(weighted(v, weights, 8), 11) % 10 == v->d[8];
}

/* Two to ten digits, as if noughts were before them. */
static bool vat_ro(const struct vat *v)
{
    static const int8_t weights[9] = {7, 5, 3, 2, 1, 7, 5, 3, 2};

    return v->d[0] != 0 &&
           10 * checksum_weighted(v->d, weights + (10 - v->n), v->n - 1) % 11 % 10 == v->d[v->n - 1];
}

static bool vat_se(const struct vat *v)
{
    return checksum_luhn(v->d, 10, 10) && number_of(v->d + 10, 2) == 1;
}

static bool vat_si(const struct vat *v)
{
    static const int8_t weights[7] = {8, 7, 6, 5, 4, 3, 2};
    long check = 11 - weighted(v, weights, 7) % 11;

    return v->d[0] != 0 && check != 11 && check % 10 == v->d[7];
}

static bool vat_sk(const struct vat *v)
{
    return v->d[0] != 0 && number_of(v->d, 10) % 11 == 0;
}

static bool vat_gb(const struct vat *v)
{
    static const int8_t weights[7] = {8, 7, 6, 5, 4, 3, 2};
    long rest = (weighted(v, weights, 7) + (long)number_of(v->d + 7, 2)) % 97;

    return number_of(v->d, 7) > 0 && (rest == 0 || rest == 42);
}

static bool vat_no(const struct vat *v)
{
    static const int8_t weights[9] = {3, 2, 7, 6, 5, 4, 3, 2, 1};

    return v->d[0] >= 8 && weighted(v, weights, 9) % 11 == 0;
}

/* The third letter of Switzerland is before the digits. */
static bool vat_che(const struct vat *v)
{
    static const int8_t weights[8] = {5, 4, 3, 2, 7, 6, 5, 4};

    return symbols_character(v->d[0]) == 'E' &&
           checksum_complement(checksum_weighted(v->d + 1, weights, 8), 11) == v->d[9];
}

struct vat_form {
    char country[3];
    const char *shape; /* as symbols_have_shape() takes it */
    bool (*holds)(const struct vat *v);
};

static const struct vat_form forms[] = {
    {"AT", "A99999999", vat_at},    {"BE", "9999999999", vat_be},   {"BG", "999999999", vat_bg},
    {"BG", "9999999999", vat_bg_person}, {"CH", "A999999999", vat_che}, {"CY", "99999999A", vat_cy},
    {"CZ", "99999999", vat_cz},     {"CZ", "9999999999", vat_cz_person}, {"DE", "999999999", vat_hybrid},
    {"DK", "99999999", vat_dk},     {"EE", "999999999", vat_ee},    {"EL", "999999999", vat_el},
    {"FI", "99999999", vat_fi},     {"FR", "99999999999", vat_fr},  {"GB", "999999999", vat_gb},
    {"GB", "999999999999", vat_gb}, {"GR", "999999999", vat_el},    {"HR", "99999999999", vat_hybrid},
    {"HU", "99999999", vat_hu},     {"IE", "9999999A", vat_ie},     {"IE", "9999999AA", vat_ie},
    {"IT", "99999999999", vat_luhn}, {"LT", "999999999", vat_lt},   {"LT", "999999999999", vat_lt},
    {"LU", "99999999", vat_lu},     {"LV", "99999999999", vat_lv},  {"MT", "99999999", vat_mt},
    {"NL", "999999999A99", vat_nl}, {"NO", "999999999", vat_no},    {"PL", "9999999999", vat_pl},
    {"PT", "999999999", vat_pt},    {"SE", "999999999999", vat_se}, {"SI", "99999999", vat_si},
    {"SK", "9999999999", vat_sk},   {"XI", "999999999", vat_gb},    {"XI", "999999999999", vat_gb},
};

enum { RO_MIN = 4, RO_MAX = 10 };

static bool is_of_country(const struct symbols *s, const char *country)
{
    return symbols_character(s->value[0]) == country[0] && symbols_character(s->value[1]) == country[1];
}

/* Spain's are its tax numbers. */
static bool is_vat_es(const struct symbols *s)
{
    char text[16];

    if (!is_of_country(s, "ES") || s->n != 11) {
        return false;
    }
    for (size_t i = 2; i < s->n; i++) {
        text[i - 2] = symbols_character(s->value[i]);
    }
    return check_nif_es.passes(span_of(text, s->n - 2), NULL);
}

static bool is_vat_ro(const struct symbols *s)
{
    const struct vat v = {s->value + 2, s->n - 2};

    if (!is_of_country(s, "RO") || v.n < RO_MIN || v.n > RO_MAX) {
        return false;
    }
    for (size_t i = 0; i < v.n; i++) {
        if (v.d[i] > 9) {
            return false;
        }
    }
    return vat_ro(&v);
}

static bool vat_eu_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || s.n < RO_MIN + 2) {
        return false;
    }
    struct symbols rest = {.n = s.n - 2};
    memcpy(rest.value, s.value + 2, rest.n);
    if (symbols_all_equal(&rest)) {
        return false;
    }
    const struct vat v = {rest.value, rest.n};
    for (size_t i = 0; i < COUNT(forms); i++) {
        if (is_of_country(&s, forms[i].country) && symbols_have_shape(&rest, forms[i].shape)) {
            return forms[i].holds(&v);
        }
    }
    return is_vat_es(&s) || is_vat_ro(&s);
}

const struct check_type check_vat_eu = {
    .name = "vat_eu",
    .summary = "passes when a European VAT number has the form and the check digit of its country",
    .passes = vat_eu_passes,
};
