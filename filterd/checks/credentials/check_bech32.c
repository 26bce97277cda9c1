#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { HRP, VARIANT };
enum { ANY, BECH32, BECH32M, N_VARIANTS };
enum { CHECKSUM = 6, HRP_MAX = 83 };

static const char *const variants[N_VARIANTS] = {"any", "bech32", "bech32m"};
static const uint32_t bech32_constant = 1;
static const uint32_t bech32m_constant = 0x2bc830a3;

static int bech32_value(char c)
{
    static const char digits[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const char *at = c == '\0' ? NULL : strchr(digits, ascii_lower(c));

    return at == NULL ? -1 : (int)(at - digits);
}

static uint32_t polymod_step(uint32_t sum, unsigned value)
{
    static const uint32_t generator[5] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                          0x2a1462b3};
    uint32_t top = sum >> 25;

    sum = (sum & 0x1ffffffu) << 5 ^ value;
    for (size_t i = 0; i < COUNT(generator); i++) {
        sum ^= (top >> i & 1u) != 0 ? generator[i] : 0;
    }
    return sum;
}

/* Printable, and not in both cases. */
static bool is_written_right(struct span text)
{
    bool has_lower = false;
    bool has_upper = false;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < 33 || text.ptr[i] > 126) {
            return false;
        }
        has_lower = has_lower || ascii_is_lower(text.ptr[i]);
        has_upper = has_upper || ascii_is_upper(text.ptr[i]);
    }
    return !(has_lower && has_upper);
}

/* The sum over prefix and data; 0 is no sum of a valid text. */
static uint32_t polymod(struct span hrp, struct span data)
{
    uint32_t sum = 1;

    for (size_t i = 0; i < hrp.len; i++) {
        sum = polymod_step(sum, (unsigned)ascii_lower(hrp.ptr[i]) >> 5);
    }
    sum = polymod_step(sum, 0);
    for (size_t i = 0; i < hrp.len; i++) {
        sum = polymod_step(sum, (unsigned)ascii_lower(hrp.ptr[i]) & 31u);
    }
    for (size_t i = 0; i < data.len; i++) {
        int value = bech32_value(data.ptr[i]);
        if (value < 0) {
            return 0;
        }
        sum = polymod_step(sum, (unsigned)value);
    }
    return sum;
}

static bool is_wanted_prefix(struct span hrp, const struct check_args *args)
{
    if (!args->is_given[HRP]) {
        return true;
    }
    for (size_t i = 0; i < args->value[HRP].n; i++) {
        struct span wanted = args->value[HRP].texts[i];
        size_t same = 0;
        while (same < hrp.len && same < wanted.len &&
               ascii_lower(hrp.ptr[same]) == ascii_lower(wanted.ptr[same])) {
            same++;
        }
        if (same == hrp.len && same == wanted.len) {
            return true;
        }
    }
    return false;
}

/* BIP-173 ends addresses at 90 characters; invoices and keys go beyond, so no length is asked. */
static bool bech32_passes(struct span value, const struct check_args *args)
{
    size_t variant = argument_choice(args, VARIANT, variants, N_VARIANTS);
    size_t separator = value.len;

    while (separator > 0 && value.ptr[separator - 1] != '1') {
        separator--;
    }
    if (separator < 2 || separator - 1 > HRP_MAX || value.len - separator < CHECKSUM ||
        !is_written_right(value)) {
        return false;
    }
    struct span hrp = span_slice(value, 0, separator - 1);
    if (!is_wanted_prefix(hrp, args)) {
        return false;
    }
    uint32_t sum = polymod(hrp, span_slice(value, separator, value.len));
    return (variant != BECH32M && sum == bech32_constant) ||
           (variant != BECH32 && sum == bech32m_constant);
}

static bool bech32_accepts(const struct check_args *args, struct error *err)
{
    if (args->is_given[HRP] && args->value[HRP].n == 0) {
        return error_set(err, ERROR_INVALID, "hrp: expected at least one prefix");
    }
    return argument_accept_choice(args, VARIANT, variants, N_VARIANTS, err);
}

const struct check_type check_bech32 = {
    .name = "bech32",
    .summary = "passes when the bech32 or bech32m checksum holds and the prefix is one of hrp",
    .parameters = {{"hrp", CHECK_TEXTS, false}, {"variant", CHECK_TEXT, false}},
    .passes = bech32_passes,
    .accepts = bech32_accepts,
};
