/* Numbers of Mexico, Colombia, Venezuela, Peru and Argentina. */
#include "base/ascii.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { LETTER_N = 23, N_TILDE_LEN = 2 };

static bool is_n_tilde(struct span rest)
{
    return rest.len >= N_TILDE_LEN && rest.ptr[0] == '\xc3' && (rest.ptr[1] == '\x91' || rest.ptr[1] == '\xb1');
}

/* Values 0-9, A to N 10 to 23, Ñ 24, O to Z 25 to 36; weights 18 to 2, complement mod 10. */
static bool curp_mx_passes(struct span value, const struct check_args *args)
{
    enum { LENGTH = 18, N_TILDE = 24 };
    unsigned sum = 0;
    unsigned last = 0;
    size_t n = 0;

    (void)args;
    for (size_t at = 0; at < value.len; n++) {
        struct span rest = span_slice(value, at, value.len);
        unsigned v = N_TILDE;
        if (is_n_tilde(rest)) {
            at += N_TILDE_LEN;
        } else if (ascii_is_alnum(rest.ptr[0])) {
            char c = ascii_lower(rest.ptr[0]);
            v = (unsigned)(ascii_is_digit(c) ? c - '0' : c - 'a' + 10);
            v += v > LETTER_N ? 1 : 0;
            at++;
        } else {
            return false;
        }
        if (n >= LENGTH) {
            return false;
        }
        sum += n < LENGTH - 1 ? v * (unsigned)(LENGTH - n) : 0;
        last = v;
    }
    return n == LENGTH && last == checksum_complement((long)sum, 10);
}

/* Values of the tax authority: & 24, a space 37, Ñ 38; false for what is not in its table. */
static bool rfc_value(struct span *rest, unsigned *v)
{
    enum { AMPERSAND = 24, N_TILDE = 38 };
    char c = ascii_lower(rest->ptr[0]);
    size_t used = 1;

    if (is_n_tilde(*rest)) {
        *v = N_TILDE;
        used = N_TILDE_LEN;
    } else if (c == '&') {
        *v = AMPERSAND;
    } else if (ascii_is_digit(c)) {
        *v = (unsigned)(c - '0');
    } else if (c >= 'a' && c <= 'z') {
        *v = (unsigned)(c - 'a' + 10);
        *v += *v > LETTER_N ? 1 : 0;
    } else {
        return false;
    }
    *rest = span_slice(*rest, used, rest->len);
    return true;
}

/* Twelve characters are a company, as if a space were before them. */
static bool rfc_mx_passes(struct span value, const struct check_args *args)
{
    enum { LENGTH = 13, SPACE = 37 };
    unsigned values[LENGTH + 1] = {0};
    size_t n = 1;
    long sum = 0;

    (void)args;
    for (struct span rest = value; rest.len > 0;) {
        size_t separator = symbols_separator(rest, 0);
        if (separator > 0) {
            rest = span_slice(rest, separator, rest.len);
        } else if (n > LENGTH || !rfc_value(&rest, &values[n])) {
            return false;
        } else {
            n++;
        }
    }
    if (n - 1 == LENGTH - 1) {
        values[0] = SPACE;
    } else if (n - 1 != LENGTH) {
        return false;
    }
    const unsigned *v = values + (n - 1 == LENGTH ? 1 : 0);
    for (size_t i = 0; i + 1 < LENGTH; i++) {
        sum += (long)v[i] * (long)(LENGTH - i);
    }
    return v[LENGTH - 1] == checksum_complement(sum, 11);
}

/* From the right the first primes but 2, 5, 11 and 31; remainders 0 and 1 stand for themselves. */
static bool nit_co_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[15] = {3, 7, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 59, 67, 71};
    struct symbols s;
    long sum = 0;

    (void)args;
    if (!symbols_read_digits(value, &s) || s.n < 6 || s.n > COUNT(weights) + 1 || symbols_all_equal(&s)) {
        return false;
    }
    for (size_t i = 0; i + 1 < s.n; i++) {
        sum += (long)s.value[s.n - 2 - i] * weights[i];
    }
    long remainder = sum % 11;
    return s.value[s.n - 1] == (remainder < 2 ? remainder : 11 - remainder);
}

/* The letter says what the holder is and counts four times its place in VEJPG. */
static bool rif_ve_passes(struct span value, const struct check_args *args)
{
    static const char kinds[] = "VEJPG";
    static const int8_t weights[8] = {3, 2, 7, 6, 5, 4, 3, 2};
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "A999999999")) {
        return false;
    }
    const char *kind = strchr(kinds, symbols_character(s.value[0]));
    if (kind == NULL) {
        return false;
    }
    long sum = 4 * (kind - kinds + 1) + checksum_weighted(s.value + 1, weights, COUNT(weights));
    unsigned check = checksum_complement(sum, 11);
    return s.value[9] == (check == 10 ? 0 : check);
}

/* Bank and branch with their check digit, the account with its own. */
static bool cbu_ar_passes(struct span value, const struct check_args *args)
{
    static const int8_t branch[7] = {7, 1, 3, 9, 7, 1, 3};
    static const int8_t account[13] = {3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3};
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 22, &s) && !symbols_all_equal(&s) &&
           checksum_complement(checksum_weighted(s.value, branch, 7), 10) == s.value[7] &&
           checksum_complement(checksum_weighted(s.value + 8, account, 13), 10) == s.value[21];
}

/* The check character is a digit or, in another row of the same table, a letter. */
static bool cui_pe_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[8] = {3, 2, 7, 6, 5, 4, 3, 2};
    static const char digits[] = "65432110987";
    static const char letters[] = "KJIHGFEDCBA";
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !(symbols_have_shape(&s, "999999999") || symbols_have_shape(&s, "99999999A"))) {
        return false;
    }
    long row = checksum_weighted(s.value, weights, COUNT(weights)) % 11;
    char check = symbols_character(s.value[8]);
    return check == digits[row] || check == letters[row];
}

const struct check_type check_curp_mx = {
    .name = "curp_mx",
    .summary = "passes when the check digit of a Mexican CURP holds",
    .passes = curp_mx_passes,
};

const struct check_type check_rfc_mx = {
    .name = "rfc_mx",
    .summary = "passes when the check character of a Mexican RFC holds",
    .passes = rfc_mx_passes,
};

const struct check_type check_nit_co = {
    .name = "nit_co",
    .summary = "passes when the check digit of a Colombian NIT holds",
    .passes = nit_co_passes,
};

const struct check_type check_rif_ve = {
    .name = "rif_ve",
    .summary = "passes when kind and check digit of a Venezuelan RIF hold",
    .passes = rif_ve_passes,
};

const struct check_type check_cui_pe = {
    .name = "cui_pe",
    .summary = "passes when the check character of a Peruvian identity number (CUI) holds",
    .passes = cui_pe_passes,
};

const struct check_type check_cbu_ar = {
    .name = "cbu_ar",
    .summary = "passes when both check digits of an Argentine account number (CBU) hold",
    .passes = cbu_ar_passes,
};
