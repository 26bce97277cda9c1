#include "base/ascii.h"
#include "formats/base64.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

_Static_assert(BASE64_DECODED_MAX >= CHECK_SPAN_MAX / 4 * 3, "what a check may get can be decoded");

enum { HEX, SKIP, MIN, MAX };

static bool begins_with_hex(const uint8_t *bytes, size_t n, struct span hex)
{
    if (hex.len / 2 > n) {
        return false;
    }
    for (size_t i = 0; i + 1 < hex.len; i += 2) {
        unsigned byte = ascii_hex_value(hex.ptr[i]) * 16 + ascii_hex_value(hex.ptr[i + 1]);
        if (bytes[i / 2] != byte) {
            return false;
        }
    }
    return true;
}

static bool base64_bytes_passes(struct span value, const struct check_args *args)
{
    uint8_t bytes[BASE64_DECODED_MAX];
    size_t len = 0;
    size_t skip = argument_count(args, SKIP, 0);

    if (value.len <= skip || !base64_decode(span_slice(value, skip, value.len), BASE64_EITHER,
                                            bytes, sizeof(bytes), &len)) {
        return false;
    }
    return len >= argument_count(args, MIN, 1) && len <= argument_count(args, MAX, sizeof(bytes)) &&
           begins_with_hex(bytes, len, argument_text(args, HEX));
}

static bool base64_bytes_accepts(const struct check_args *args, struct error *err)
{
    struct span hex = argument_text(args, HEX);

    for (size_t i = 0; i < hex.len; i++) {
        if (!ascii_is(hex.ptr[i], ASCII_HEX)) {
            return error_set(err, ERROR_INVALID, "hex: expected hexadecimal digits");
        }
    }
    if (hex.len % 2 != 0) {
        return error_set(err, ERROR_INVALID, "hex: expected two digits for each byte");
    }
    return argument_accept_whole(args, SKIP, 0, CHECK_SPAN_MAX, err) &&
           argument_accept_whole(args, MIN, 0, CHECK_SPAN_MAX, err) &&
           argument_accept_whole(args, MAX, 0, CHECK_SPAN_MAX, err);
}

const struct check_type check_base64_bytes = {
    .name = "base64_bytes",
    .summary = "passes when base64 decodes to min to max bytes that begin with those of hex",
    .parameters =
        {
            {"hex", CHECK_TEXT, false},
            {"skip", CHECK_NUMBER, false},
            {"min", CHECK_NUMBER, false},
            {"max", CHECK_NUMBER, false},
        },
    .passes = base64_bytes_passes,
    .accepts = base64_bytes_accepts,
};
