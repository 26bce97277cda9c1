#include <zlib.h>

#include "formats/base_n.h"
#include "checks/checks_table.h"

enum { WIDTH = 7 };

static bool crc32_base36_passes(struct span value, const struct check_args *args)
{
    (void)args;
    if (value.len <= WIDTH) {
        return false;
    }
    size_t body = value.len - WIDTH;
    uLong crc = crc32(0, (const Bytef *)value.ptr, (uInt)body);
    return base_n_is(span_slice(value, body, value.len), (uint32_t)crc, BASE_N_36);
}

const struct check_type check_crc32_base36 = {
    .name = "crc32_base36",
    .summary = "passes when the last 7 characters are the CRC32 of the rest in base 36",
    .passes = crc32_base36_passes,
};
