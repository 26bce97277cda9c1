#include "formats/base32.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"

enum { NKEY_SEED_TEXT = 58, NKEY_PUBLIC_TEXT = 56, STELLAR_TEXT = 56, DECODED_MAX = 40 };
enum { STELLAR_SEED_VERSION = 18 << 3 };

/* Both formats end in the CRC16 of what is before, lowest byte first. */
static bool decode_checked(struct span value, uint8_t bytes[DECODED_MAX])
{
    size_t len = 0;

    if (!base32_decode(value, bytes, DECODED_MAX, &len) || len < 3) {
        return false;
    }
    unsigned stored = bytes[len - 2] | (unsigned)bytes[len - 1] << 8;
    return checksum_crc16(bytes, len - 2) == stored;
}

static bool nkey_passes(struct span value, const struct check_args *args)
{
    uint8_t bytes[DECODED_MAX];

    (void)args;
    if (value.len != NKEY_SEED_TEXT && value.len != NKEY_PUBLIC_TEXT) {
        return false;
    }
    return (value.len == NKEY_PUBLIC_TEXT || value.ptr[0] == 'S') && decode_checked(value, bytes);
}

static bool stellar_seed_passes(struct span value, const struct check_args *args)
{
    uint8_t bytes[DECODED_MAX];

    (void)args;
    return value.len == STELLAR_TEXT && decode_checked(value, bytes) &&
           bytes[0] == STELLAR_SEED_VERSION;
}

const struct check_type check_nkey = {
    .name = "nkey",
    .summary = "passes when a NATS nkey ends in its CRC16",
    .passes = nkey_passes,
};

const struct check_type check_stellar_seed = {
    .name = "stellar_seed",
    .summary = "passes when a Stellar secret seed ends in its CRC16",
    .passes = stellar_seed_passes,
};
