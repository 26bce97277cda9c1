/* Numbers of Canada and Brazil. */
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

/* 0 is for what is no social insurance number, 8 for companies. */
static bool sin_ca_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 9, &s) && s.value[0] != 0 && s.value[0] != 8 &&
           !symbols_all_equal(&s) && checksum_luhn(s.value, s.n, 10);
}

/* Remainders 0 and 1 give 0, the others 11 less the remainder. */
static bool is_brazilian_digit(const uint8_t *values, const int8_t *weights, size_t n)
{
    unsigned check = checksum_complement(checksum_weighted(values, weights, n), 11);

    return values[n] == (check == 10 ? 0 : check);
}

static bool cpf_br_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[10] = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2};
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 11, &s) && !symbols_all_equal(&s) &&
           is_brazilian_digit(s.value, weights + 1, 9) && is_brazilian_digit(s.value, weights, 10);
}

/* From 2026 on the first twelve may be letters, which count as their ASCII code less 48. */
static bool cnpj_br_passes(struct span value, const struct check_args *args)
{
    enum { LETTER_GAP = 'A' - '0' - 10 };
    static const int8_t weights[13] = {6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2};
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "************99") ||
        symbols_all_equal(&s)) {
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        s.value[i] = (uint8_t)(s.value[i] + (s.value[i] > 9 ? LETTER_GAP : 0));
    }
    return is_brazilian_digit(s.value, weights + 1, 12) && is_brazilian_digit(s.value, weights, 13);
}

const struct check_type check_sin_ca = {
    .name = "sin_ca",
    .summary = "passes when a Canadian social insurance number has its first digit and Luhn holds",
    .passes = sin_ca_passes,
};

const struct check_type check_cpf_br = {
    .name = "cpf_br",
    .summary = "passes when both check digits of a Brazilian CPF hold",
    .passes = cpf_br_passes,
};

const struct check_type check_cnpj_br = {
    .name = "cnpj_br",
    .summary = "passes when both check digits of a Brazilian CNPJ hold",
    .passes = cnpj_br_passes,
};
