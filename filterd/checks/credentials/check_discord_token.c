#include "base/ascii.h"
#include "formats/base64.h"
#include "checks/checks_table.h"

enum { ID_DIGITS_MIN = 17, ID_DIGITS_MAX = 20, ID_BYTES = 24, TIME_TEXT = 6, MAC_TEXT_MIN = 27 };

/* Times count from 2011 in older tokens, from 1970 in newer ones. */
static const uint64_t epoch = 1293840000;
static const uint64_t earliest = 1420070400; /* 2015, Discord's first year */
static const uint64_t latest = 4102444800;   /* 2100 */

static bool is_user_id(struct span part)
{
    uint8_t digits[ID_BYTES];
    size_t len = 0;

    if (!base64_decode(part, BASE64_EITHER, digits, sizeof(digits), &len) || len < ID_DIGITS_MIN ||
        len > ID_DIGITS_MAX) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (!ascii_is_digit((char)digits[i])) {
            return false;
        }
    }
    return true;
}

static bool is_time(struct span part)
{
    uint8_t bytes[4];
    size_t len = 0;

    if (part.len != TIME_TEXT || !base64_decode(part, BASE64_EITHER, bytes, sizeof(bytes), &len) ||
        len != 4) {
        return false;
    }
    uint64_t t =
        (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3];
    return (t >= earliest && t < latest) || (t + epoch >= earliest && t + epoch < latest);
}

static bool discord_token_passes(struct span value, const struct check_args *args)
{
    size_t first = ascii_find(value, 0, ".");
    size_t second = first < value.len ? ascii_find(value, first + 1, ".") : value.len;

    (void)args;
    if (second == value.len) {
        return false;
    }
    struct span mac = span_slice(value, second + 1, value.len);
    return is_user_id(span_slice(value, 0, first)) &&
           is_time(span_slice(value, first + 1, second)) && mac.len >= MAC_TEXT_MIN &&
           base64_run(mac, BASE64_URL) == mac.len;
}

const struct check_type check_discord_token = {
    .name = "discord_token",
    .summary = "passes when the parts of a Discord token are a user id, a time and a MAC",
    .passes = discord_token_passes,
};
