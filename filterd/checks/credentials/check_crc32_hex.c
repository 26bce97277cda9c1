#include <zlib.h>

#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { SKIP, DROP, ENDIAN, COVERS };
enum { HEX_DIGITS = 8 };
enum { BIG, LITTLE, N_ENDIANS };
enum { BODY, ALL, N_COVERS };

static const char *const endians[N_ENDIANS] = {"big", "little"};
static const char *const covers[N_COVERS] = {"body", "all"};

static bool is_hex_of(struct span text, uint32_t number, bool is_little)
{
    for (size_t i = 0; i < HEX_DIGITS; i++) {
        size_t byte = is_little ? i / 2 : 3 - i / 2;
        uint32_t digit = number >> (8 * byte + (i % 2 == 0 ? 4 : 0)) & 15u;
        if (ascii_hex_value(text.ptr[i]) != digit) {
            return false;
        }
    }
    return true;
}

static uLong crc_of(struct span body)
{
    return crc32(0, (const Bytef *)body.ptr, (uInt)body.len);
}

/* Atlassian's tokens end their body with =, which shells and URLs escape. */
static bool undo_escape(struct span body, uLong *crc)
{
    static const char *const escapes[] = {"%3d", "\\="};

    for (size_t i = 0; i < COUNT(escapes); i++) {
        size_t len = strlen(escapes[i]);
        if (body.len >= len && ascii_equals(span_slice(body, body.len - len, body.len), escapes[i])) {
            *crc = crc32(crc_of(span_slice(body, 0, body.len - len)), (const Bytef *)"=", 1);
            return true;
        }
    }
    return false;
}

static bool crc32_hex_passes(struct span value, const struct check_args *args)
{
    bool is_all = argument_choice(args, COVERS, covers, N_COVERS) == ALL;
    bool is_little = argument_choice(args, ENDIAN, endians, N_ENDIANS) == LITTLE;
    size_t skip = is_all ? 0 : argument_count(args, SKIP, 0);
    size_t drop = is_all ? 0 : argument_count(args, DROP, 0);
    uLong unescaped = 0;

    if (value.len <= skip + drop + HEX_DIGITS) {
        return false;
    }
    struct span checksum = span_slice(value, value.len - HEX_DIGITS, value.len);
    struct span body = span_slice(value, skip, value.len - HEX_DIGITS - drop);
    if (is_hex_of(checksum, (uint32_t)crc_of(body), is_little)) {
        return true;
    }
    return undo_escape(body, &unescaped) && is_hex_of(checksum, (uint32_t)unescaped, is_little);
}

static bool crc32_hex_accepts(const struct check_args *args, struct error *err)
{
    return argument_accept_whole(args, SKIP, 0, CHECK_SPAN_MAX, err) &&
           argument_accept_whole(args, DROP, 0, CHECK_SPAN_MAX, err) &&
           argument_accept_choice(args, ENDIAN, endians, N_ENDIANS, err) &&
           argument_accept_choice(args, COVERS, covers, N_COVERS, err);
}

const struct check_type check_crc32_hex = {
    .name = "crc32_hex",
    .summary = "passes when the last 8 characters are the CRC32 of the rest in hexadecimal",
    .parameters =
        {
            {"skip", CHECK_NUMBER, false},
            {"drop", CHECK_NUMBER, false},
            {"endian", CHECK_TEXT, false},
            {"covers", CHECK_TEXT, false},
        },
    .passes = crc32_hex_passes,
    .accepts = crc32_hex_accepts,
};
