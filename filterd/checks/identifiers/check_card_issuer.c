#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { CARD_MIN = 12, CARD_MAX = 19, PREFIX_DIGITS = 6 };

/* Numbers whose first six digits are within [from, to] have one of the lengths (bit n for n
 * digits). The first range that fits decides, so narrow ranges are before wide ones. */
struct issuer {
    uint32_t from, to;
    uint32_t lengths;
};

#define LENGTH(n)         (UINT32_C(1) << (n))
#define LENGTHS(from, to) (LENGTH((to) + 1) - LENGTH(from))

static const struct issuer issuers[] = {
    {180000, 180099, LENGTH(15)},                           /* JCB, old */
    {213100, 213199, LENGTH(15)},                           /* JCB, old */
    {220000, 220499, LENGTHS(16, 19)},                      /* Mir */
    {222100, 272099, LENGTH(16)},                           /* Mastercard, second series */
    {300000, 305999, LENGTHS(14, 19)},                      /* Diners Club */
    {309500, 309599, LENGTHS(14, 19)},                      /* Diners Club */
    {340000, 349999, LENGTH(15)},                           /* American Express */
    {352800, 358999, LENGTHS(16, 19)},                      /* JCB */
    {360000, 369999, LENGTHS(14, 19)},                      /* Diners Club */
    {370000, 379999, LENGTH(15)},                           /* American Express */
    {380000, 399999, LENGTHS(14, 19)},                      /* Diners Club */
    {400000, 499999, LENGTH(13) | LENGTH(16) | LENGTH(19)}, /* Visa */
    {500000, 509999, LENGTHS(12, 19)},                      /* Maestro and national schemes */
    {510000, 559999, LENGTH(16)},                           /* Mastercard */
    {560000, 599999, LENGTHS(12, 19)},                      /* Maestro */
    {600000, 699999, LENGTHS(12, 19)}, /* Discover, UnionPay, RuPay, Maestro, Hipercard */
    {810000, 817199, LENGTHS(16, 19)}, /* UnionPay */
    {979200, 979299, LENGTH(16)},      /* Troy */
};

static bool is_issued(const struct symbols *s)
{
    uint64_t prefix = symbols_number(s, 0, PREFIX_DIGITS);

    for (size_t i = 0; i < COUNT(issuers); i++) {
        if (prefix >= issuers[i].from && prefix <= issuers[i].to) {
            return (issuers[i].lengths & LENGTH(s->n)) != 0;
        }
    }
    return false;
}

static bool card_issuer_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    return symbols_read_digits(value, &s) && s.n >= CARD_MIN && s.n <= CARD_MAX &&
           !symbols_all_equal(&s) && is_issued(&s) && checksum_luhn(s.value, s.n, 10);
}

const struct check_type check_card_issuer = {
    .name = "card_issuer",
    .summary = "passes when a card number is of an issuer, of its length, and Luhn holds",
    .passes = card_issuer_passes,
};
