#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { PUBLIC };
enum { DIGITS = 12, BYTES = 6 };

/* Groups of `group` digits between the same separator; false when it is written otherwise. */
static bool read_groups(struct span text, size_t group, char separator, uint8_t bytes[BYTES])
{
    size_t n = 0;

    for (size_t at = 0; at < text.len; at++) {
        if (at % (group + 1) == group) {
            if (text.ptr[at] != separator) {
                return false;
            }
            continue;
        }
        unsigned digit = ascii_hex_value(text.ptr[at]);
        if (digit == ASCII_NOT_HEX || n == DIGITS) {
            return false;
        }
        bytes[n / 2] = (uint8_t)(bytes[n / 2] << 4 | digit);
        n++;
    }
    return n == DIGITS && text.len == DIGITS + DIGITS / group - 1;
}

/* Five octets or more in equal steps, as people make addresses up: 02:03:04:…, 00:11:22:…, 12:34:56:…. */
static bool is_in_order(const uint8_t bytes[BYTES])
{
    enum { IN_ORDER_MIN = 5 };
    size_t run = 2;

    for (size_t i = 2; i < BYTES && run < IN_ORDER_MIN; i++) {
        bool goes_on = (uint8_t)(bytes[i] - bytes[i - 1]) == (uint8_t)(bytes[i - 1] - bytes[i - 2]);
        run = goes_on ? run + 1 : 2;
    }
    return run >= IN_ORDER_MIN;
}

/* Of one network card: no multicast (which takes in broadcast), not the documentation range of
 * RFC 7042, not all zero, not made up. */
static bool is_public(const uint8_t bytes[BYTES])
{
    static const uint8_t zero[BYTES] = {0};
    static const uint8_t documentation[] = {0x00, 0x00, 0x5e, 0x00, 0x53};

    return (bytes[0] & 1u) == 0 && memcmp(bytes, zero, BYTES) != 0 &&
           memcmp(bytes, documentation, sizeof(documentation)) != 0 && !is_in_order(bytes);
}

static bool mac_address_passes(struct span value, const struct check_args *args)
{
    uint8_t bytes[BYTES] = {0};
    bool parses = read_groups(value, 2, ':', bytes) || read_groups(value, 2, '-', bytes) ||
                  read_groups(value, 4, '.', bytes);

    return parses && (!argument_flag(args, PUBLIC) || is_public(bytes));
}

const struct check_type check_mac_address = {
    .name = "mac_address",
    .summary = "passes when it is a MAC address (public: of one card, not documentation, not made up)",
    .parameters = {{"public", CHECK_FLAG, false}},
    .passes = mac_address_passes,
};
