#include "formats/base58.h"
#include "checks/checks_table.h"

enum { VERSION_MAIN = 0x80, VERSION_TEST = 0xef, KEY = 32 };

static bool base58check_passes(struct span value, const struct check_args *args)
{
    uint8_t payload[BASE58_BYTES_MAX];
    size_t len = 0;

    (void)args;
    return base58_decode_checked(value, payload, &len);
}

/* A version, the key, and a 1 when the public key is to be written in its short form. */
static bool wif_passes(struct span value, const struct check_args *args)
{
    uint8_t payload[BASE58_BYTES_MAX];
    size_t len = 0;

    (void)args;
    if (!base58_decode_checked(value, payload, &len)) {
        return false;
    }
    bool is_short = len == KEY + 2 && payload[KEY + 1] == 1;
    return (len == KEY + 1 || is_short) &&
           (payload[0] == VERSION_MAIN || payload[0] == VERSION_TEST);
}

const struct check_type check_base58check = {
    .name = "base58check",
    .summary = "passes when base 58 decodes and ends in its double SHA-256",
    .passes = base58check_passes,
};

const struct check_type check_wif = {
    .name = "wif",
    .summary = "passes when base58check holds a Bitcoin private key",
    .passes = wif_passes,
};
