#include <arpa/inet.h>

#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { PUBLIC, HOST };

struct block {
    uint8_t bytes[16];
    unsigned bits;
};

/* IANA's special-purpose registries: not globally reachable, or for documentation. */
static const struct block special_ipv4[] = {
    {{0}, 8},
    {{10}, 8},
    {{100, 64}, 10},
    {{127}, 8},
    {{169, 254}, 16},
    {{172, 16}, 12},
    {{192, 0, 0}, 24},
    {{192, 0, 2}, 24},
    {{192, 88, 99}, 24},
    {{192, 168}, 16},
    {{198, 18}, 15},
    {{198, 51, 100}, 24},
    {{203, 0, 113}, 24},
    {{224}, 4},
    {{240}, 4},
};

static const struct block special_ipv6[] = {
    {{0}, 96},                        /* unspecified, loopback, IPv4-compatible */
    {{[10] = 0xff, [11] = 0xff}, 96}, /* IPv4-mapped */
    {{0x00, 0x64, 0xff, 0x9b}, 48},   /* translation */
    {{0x01}, 64},                     /* discard */
    {{0x20, 0x01, 0x00}, 23},         /* protocols */
    {{0x20, 0x01, 0x0d, 0xb8}, 32},   /* documentation */
    {{0x3f, 0xff, 0x00}, 20},         /* documentation */
    {{0xfc}, 7},                      /* unique local */
    {{0xfe, 0x80}, 10},               /* link-local */
    {{0xfe, 0xc0}, 10},               /* site-local, old */
    {{0xff}, 8},                      /* multicast */
};

static bool is_within(const uint8_t *address, const struct block *block)
{
    size_t whole = block->bits / 8;
    unsigned rest = block->bits % 8;

    if (memcmp(address, block->bytes, whole) != 0) {
        return false;
    }
    return rest == 0 || (address[whole] ^ block->bytes[whole]) >> (8 - rest) == 0;
}

static bool is_public(const uint8_t *address, const struct block *blocks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (is_within(address, &blocks[i])) {
            return false;
        }
    }
    return true;
}

static bool parse(int family, struct span value, uint8_t address[16])
{
    char text[INET6_ADDRSTRLEN];

    if (value.len == 0 || value.len >= sizeof(text) || memchr(value.ptr, 0, value.len) != NULL) {
        return false;
    }
    memcpy(text, value.ptr, value.len);
    text[value.len] = '\0';
    return inet_pton(family, text, address) == 1;
}

/* What sets the two kinds of address apart. */
struct kind {
    int family;
    unsigned bits;
    unsigned link; /* a longer prefix than this leaves no address for the network itself (RFC 3021, RFC 6164) */
    unsigned own;  /* the network's bits of an address that comes without a length (RFC 4291, 2.5.4); all: it does not say */
    const struct block *special;
    size_t n_special;
};

static const struct kind ipv4 = {AF_INET, 32, 30, 32, special_ipv4, COUNT(special_ipv4)};
static const struct kind ipv6 = {AF_INET6, 128, 126, 64, special_ipv6, COUNT(special_ipv6)};

/* "/48" behind the address; without it *length is left. */
static bool cut_length(struct span *value, unsigned max, unsigned *length)
{
    const char *slash = memchr(value->ptr, '/', value->len);
    unsigned number = 0;

    if (slash == NULL) {
        return true;
    }
    size_t at = (size_t)(slash - value->ptr);
    struct span digits = span_slice(*value, at + 1, value->len);
    for (size_t i = 0; i < digits.len; i++) {
        if (!ascii_is_digit(digits.ptr[i]) || digits.len > 3) {
            return false;
        }
        number = number * 10 + (unsigned)(digits.ptr[i] - '0');
    }
    *value = span_slice(*value, 0, at);
    *length = number;
    return digits.len > 0 && number <= max;
}

/* Nothing but zeros behind the first `length` bits: the network itself, as in a range or a route. */
static bool is_network(const uint8_t *address, const struct kind *kind, unsigned length)
{
    if (length > kind->link) {
        return false;
    }
    for (unsigned bit = length; bit < kind->bits; bit++) {
        if ((address[bit / 8] & 0x80U >> bit % 8) != 0) {
            return false;
        }
    }
    return true;
}

static bool address_passes(struct span value, const struct check_args *args, const struct kind *kind)
{
    uint8_t address[16];
    unsigned length = kind->own;

    if (argument_flag(args, HOST) && !cut_length(&value, kind->bits, &length)) {
        return false;
    }
    return parse(kind->family, value, address) && !(argument_flag(args, HOST) && is_network(address, kind, length)) &&
           (!argument_flag(args, PUBLIC) || is_public(address, kind->special, kind->n_special));
}

static bool ipv4_passes(struct span value, const struct check_args *args)
{
    return address_passes(value, args, &ipv4);
}

static bool ipv6_passes(struct span value, const struct check_args *args)
{
    return address_passes(value, args, &ipv6);
}

const struct check_type check_ipv4 = {
    .name = "ipv4",
    .summary = "passes when it is an IPv4 address (public: of the open internet; host: of no network)",
    .parameters = {{"public", CHECK_FLAG, false}, {"host", CHECK_FLAG, false}},
    .passes = ipv4_passes,
};

const struct check_type check_ipv6 = {
    .name = "ipv6",
    .summary = "passes when it is an IPv6 address (public: of the open internet; host: of no network)",
    .parameters = {{"public", CHECK_FLAG, false}, {"host", CHECK_FLAG, false}},
    .passes = ipv6_passes,
};
