#include <zlib.h>

#include "formats/base64.h"
#include "checks/checks_table.h"

enum { PREFIX = 4, BODY = 54, CHECKSUM = 6 };

static bool confluent_key_passes(struct span value, const struct check_args *args)
{
    uint8_t decoded[4];
    size_t len = 0;

    (void)args;
    if (value.len != PREFIX + BODY + CHECKSUM || !span_starts_with(value, span_str("cflt"))) {
        return false;
    }
    struct span checksum = span_slice(value, PREFIX + BODY, value.len);
    if (!base64_decode(checksum, BASE64_STANDARD, decoded, sizeof(decoded), &len)) {
        return false;
    }
    uLong crc = crc32(0, (const Bytef *)value.ptr + PREFIX, BODY);
    uint32_t stored = (uint32_t)decoded[0] | (uint32_t)decoded[1] << 8 |
                      (uint32_t)decoded[2] << 16 | (uint32_t)decoded[3] << 24;
    return len == sizeof(decoded) && stored == (uint32_t)crc;
}

const struct check_type check_confluent_key = {
    .name = "confluent_key",
    .summary = "passes when a cflt key ends in the base64 of its body's CRC32, little-endian",
    .passes = confluent_key_passes,
};
