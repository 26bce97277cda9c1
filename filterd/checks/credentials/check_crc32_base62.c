#include <zlib.h>

#include "formats/base_n.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { WIDTH, ALPHABET, SKIP, DROP };
enum { WIDTH_DEFAULT = 6, WIDTH_MAX = 16, N_ALPHABETS = 2 };

static const char *const alphabets[N_ALPHABETS] = {"upper_first", "lower_first"};
static const char *const digits[N_ALPHABETS] = {BASE_N_62_UPPER_FIRST, BASE_N_62_LOWER_FIRST};

static bool crc32_base62_passes(struct span value, const struct check_args *args)
{
    size_t width = argument_count(args, WIDTH, WIDTH_DEFAULT);
    size_t skip = argument_count(args, SKIP, 0);
    size_t drop = argument_count(args, DROP, 0);
    size_t alphabet = argument_choice(args, ALPHABET, alphabets, N_ALPHABETS);

    if (alphabet == N_ALPHABETS || width == 0 || value.len <= skip + drop + width) {
        return false;
    }
    struct span body = span_slice(value, skip, value.len - width - drop);
    struct span checksum = span_slice(value, value.len - width, value.len);
    uLong crc = crc32(0, (const Bytef *)body.ptr, (uInt)body.len);
    return base_n_is(checksum, (uint32_t)crc, digits[alphabet]);
}

static bool crc32_base62_accepts(const struct check_args *args, struct error *err)
{
    return (!args->is_given[WIDTH] || argument_accept_whole(args, WIDTH, 1, WIDTH_MAX, err)) &&
           argument_accept_choice(args, ALPHABET, alphabets, N_ALPHABETS, err) &&
           argument_accept_whole(args, SKIP, 0, CHECK_SPAN_MAX, err) &&
           argument_accept_whole(args, DROP, 0, CHECK_SPAN_MAX, err);
}

const struct check_type check_crc32_base62 = {
    .name = "crc32_base62",
    .summary = "passes when the last characters (6) are the CRC32 of the rest in base 62",
    .parameters =
        {
            {"width", CHECK_NUMBER, false},
            {"alphabet", CHECK_TEXT, false},
            {"skip", CHECK_NUMBER, false},
            {"drop", CHECK_NUMBER, false},
        },
    .passes = crc32_base62_passes,
    .accepts = crc32_base62_accepts,
};
