#include "base/ascii.h"
#include "formats/base64.h"
#include "formats/base_n.h"
#include "checks/checks_table.h"
#include "formats/marvin32.h"

/* 52 random characters, the signature, a year, a month, platform and provider; then the checksum,
 * the whole of it in the long form, four characters in the short one. */
enum { SIGNATURE = 52, YEAR = 58, MONTH = 59, BODY = 80, SHORT = 84, LONG = 88, CHECKSUM = 6 };
enum { BODY_BYTES = BODY / 4 * 3 };

static bool has_signature(struct span value)
{
    struct span part = span_slice(value, SIGNATURE, value.len);
    char version = value.ptr[SIGNATURE + 5];

    return span_starts_with(part, span_str("JQQJ9")) &&
           (version == '9' || version == 'D' || version == 'H') &&
           ascii_is_upper(value.ptr[YEAR]) && value.ptr[MONTH] >= 'A' && value.ptr[MONTH] <= 'L';
}

static uint32_t byte_swap(uint32_t word)
{
    return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
}

/* The bytes of the sum, lowest first, read as a big-endian number and written in base 62. */
static void base62_checksum(uint32_t sum, char out[CHECKSUM])
{
    uint32_t number = byte_swap(sum);
    size_t n = base_n_length(number, BASE_N_62_UPPER_FIRST);

    memset(out, '0', CHECKSUM);
    base_n_write(number, BASE_N_62_UPPER_FIRST, out, n);
}

static void base64_checksum(uint32_t sum, char out[CHECKSUM])
{
    uint64_t bits = (uint64_t)byte_swap(sum) << 4;

    for (unsigned i = 0; i < CHECKSUM; i++) {
        out[i] = base64_character((unsigned)(bits >> (30 - 6 * i) & 63u), BASE64_STANDARD);
    }
}

static bool azure_cask_passes(struct span value, const struct check_args *args)
{
    uint8_t body[BODY_BYTES];
    size_t len = 0;
    char expected[CHECKSUM];

    (void)args;
    bool is_long = value.len == LONG && value.ptr[LONG - 2] == '=' && value.ptr[LONG - 1] == '=';
    if ((value.len != SHORT && !is_long) || !has_signature(value) ||
        !base64_decode(span_slice(value, 0, BODY), BASE64_STANDARD, body, sizeof(body), &len)) {
        return false;
    }
    uint32_t sum = marvin32(body, len, marvin32_seed("Default0"));
    size_t n = is_long ? CHECKSUM : SHORT - BODY;
    base62_checksum(sum, expected);
    if (memcmp(value.ptr + BODY, expected, n) == 0) {
        return true;
    }
    base64_checksum(sum, expected);
    return memcmp(value.ptr + BODY, expected, n) == 0;
}

const struct check_type check_azure_cask = {
    .name = "azure_cask",
    .summary = "passes when an Azure key with JQQJ9 inside ends in its Marvin32",
    .passes = azure_cask_passes,
};
