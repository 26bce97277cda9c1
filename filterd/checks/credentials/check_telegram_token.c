#include "base/ascii.h"
#include "formats/base64.h"
#include "checks/checks_table.h"

enum { ID_MIN = 8, ID_MAX = 10, SECRET = 35 };

static bool telegram_token_passes(struct span value, const struct check_args *args)
{
    size_t colon = ascii_find(value, 0, ":");

    (void)args;
    if (colon < ID_MIN || colon > ID_MAX || value.len - colon - 1 != SECRET) {
        return false;
    }
    for (size_t i = 0; i < colon; i++) {
        if (!ascii_is_digit(value.ptr[i])) {
            return false;
        }
    }
    struct span secret = span_slice(value, colon + 1, value.len);
    return value.ptr[0] != '0' && span_starts_with(secret, span_str("AA")) &&
           base64_run(secret, BASE64_URL) == SECRET;
}

const struct check_type check_telegram_token = {
    .name = "telegram_token",
    .summary = "passes when a Telegram token is a bot id and a secret that begins with AA",
    .passes = telegram_token_passes,
};
