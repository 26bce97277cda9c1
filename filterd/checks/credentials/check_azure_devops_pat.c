#include <zlib.h>

#include "base/ascii.h"
#include "formats/base32.h"
#include "checks/checks_table.h"

enum { TEXT = 52, BYTES = 32, COVERED = 28 };

static bool is_lower_base32(struct span value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (ascii_is_upper(value.ptr[i])) {
            return false;
        }
    }
    return true;
}

static bool azure_devops_pat_passes(struct span value, const struct check_args *args)
{
    /* Where the four bytes of the checksum hide, lowest first. */
    static const uint8_t hidden[4] = {22, 8, 7, 2};
    static const uint32_t masks[] = {0xE0B9692Du, 0x1019F92Eu}; /* of users, of applications */
    uint8_t bytes[BYTES + 1];
    uint8_t covered[COVERED];
    size_t len = 0;
    size_t n = 0;
    uint32_t stored = 0;

    (void)args;
    if (value.len != TEXT || !is_lower_base32(value) ||
        !base32_decode(value, bytes, sizeof(bytes), &len) || len < BYTES) {
        return false;
    }
    for (size_t i = 0; i < BYTES; i++) {
        if (memchr(hidden, (int)i, sizeof(hidden)) == NULL) {
            covered[n++] = bytes[i];
        }
    }
    for (size_t i = 0; i < sizeof(hidden); i++) {
        stored |= (uint32_t)bytes[hidden[i]] << 8 * i;
    }
    uint32_t crc = (uint32_t)crc32(0, covered, COVERED);
    return stored == (crc ^ masks[0]) || stored == (crc ^ masks[1]);
}

const struct check_type check_azure_devops_pat = {
    .name = "azure_devops_pat",
    .summary = "passes when an Azure DevOps token of 52 characters hides its own CRC32",
    .passes = azure_devops_pat_passes,
};
