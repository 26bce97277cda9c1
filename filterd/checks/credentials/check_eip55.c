#include "base/ascii.h"
#include "checks/checks_table.h"
#include "formats/keccak.h"

enum { DIGITS = 40 };

static bool eip55_passes(struct span value, const struct check_args *args)
{
    uint8_t lower[DIGITS];
    uint8_t hash[KECCAK256_BYTES];
    bool has_lower = false;
    bool has_upper = false;

    (void)args;
    struct span digits = ascii_starts_with(value, "0x") ? span_slice(value, 2, value.len) : value;
    if (digits.len != DIGITS) {
        return false;
    }
    for (size_t i = 0; i < DIGITS; i++) {
        if (!ascii_is(digits.ptr[i], ASCII_HEX)) {
            return false;
        }
        lower[i] = (uint8_t)ascii_lower(digits.ptr[i]);
    }
    keccak256(lower, DIGITS, hash);
    for (size_t i = 0; i < DIGITS; i++) {
        unsigned nibble = i % 2 == 0 ? hash[i / 2] >> 4 : hash[i / 2] & 15u;
        if (ascii_is_letter(digits.ptr[i]) && ascii_is_upper(digits.ptr[i]) != (nibble >= 8)) {
            return false;
        }
        has_lower = has_lower || ascii_is_lower(digits.ptr[i]);
        has_upper = has_upper || ascii_is_upper(digits.ptr[i]);
    }
    /* An address in one case carries no checksum. */
    return has_lower && has_upper;
}

const struct check_type check_eip55 = {
    .name = "eip55",
    .summary = "passes when an Ethereum address in mixed case has the case of EIP-55",
    .passes = eip55_passes,
};
