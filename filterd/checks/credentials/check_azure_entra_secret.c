#include "formats/base_n.h"
#include "checks/checks_table.h"
#include "formats/marvin32.h"

enum { LENGTH = 40, CHECKSUM = 3, DIGITS = 6, SIGNATURE = 3 };

static bool azure_entra_secret_passes(struct span value, const struct check_args *args)
{
    static const char alphabet[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890.-_~";
    char digits[DIGITS];

    (void)args;
    if (value.len != LENGTH || memcmp(value.ptr + SIGNATURE, "8Q~", 3) != 0) {
        return false;
    }
    uint32_t sum =
        marvin32((const uint8_t *)value.ptr, LENGTH - CHECKSUM, marvin32_seed("AadPwd00"));
    base_n_write(sum, alphabet, digits, DIGITS);
    return memcmp(value.ptr + LENGTH - CHECKSUM, digits, CHECKSUM) == 0;
}

const struct check_type check_azure_entra_secret = {
    .name = "azure_entra_secret",
    .summary = "passes when an Entra client secret with 8Q~ ends in its Marvin32",
    .passes = azure_entra_secret_passes,
};
