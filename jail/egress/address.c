#include "jail/egress/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *const egress_class_names[] = {"loopback",  "private",   "link_local", "metadata", "shared",
                                          "multicast", "reserved", "embedded",   NULL};

enum { ALL_CLASSES = (1 << EGRESS_CLASSES) - 1, BYTES_V4 = 4, BYTES_V6 = 16, BITS_V6 = 128 };

/* Every entry that holds counts. */
static const struct block_v4 {
    const char *network;
    unsigned bits, classes;
} blocks_v4[] = {
    {"0.0.0.0", 8, EGRESS_RESERVED},
    {"10.0.0.0", 8, EGRESS_PRIVATE},
    {"100.64.0.0", 10, EGRESS_SHARED},
    {"100.100.100.200", 32, EGRESS_METADATA}, /* Alibaba Cloud */
    {"127.0.0.0", 8, EGRESS_LOOPBACK},
    {"168.63.129.16", 32, EGRESS_METADATA}, /* Azure's wire server */
    {"169.254.0.0", 16, EGRESS_LINK_LOCAL},
    {"169.254.169.0", 24, EGRESS_METADATA}, /* most clouds; also their name and time servers */
    {"169.254.170.0", 24, EGRESS_METADATA}, /* credentials of containers at Amazon */
    {"172.16.0.0", 12, EGRESS_PRIVATE},
    {"192.0.0.0", 24, EGRESS_RESERVED},
    {"192.0.0.192", 32, EGRESS_METADATA}, /* Oracle Cloud */
    {"192.0.2.0", 24, EGRESS_RESERVED},
    {"192.88.99.0", 24, EGRESS_RESERVED},
    {"192.168.0.0", 16, EGRESS_PRIVATE},
    {"198.18.0.0", 15, EGRESS_RESERVED},
    {"198.51.100.0", 24, EGRESS_RESERVED},
    {"203.0.113.0", 24, EGRESS_RESERVED},
    {"224.0.0.0", 4, EGRESS_MULTICAST},
    {"240.0.0.0", 4, EGRESS_RESERVED},
};

/* `at` is the offset of the bytes of an IPv4 address; NOWHERE: none. An entry of one address says all of it:
 * ::1 is no IPv4-compatible 0.0.0.1. */
enum { NOWHERE = BYTES_V6 };

static const struct block_v6 {
    const char *network;
    unsigned bits, classes, at;
    uint8_t flip; /* Teredo writes the client's address inverted */
} blocks_v6[] = {
    {"::", 128, EGRESS_RESERVED, NOWHERE, 0},
    {"::1", 128, EGRESS_LOOPBACK, NOWHERE, 0},
    {"fd20:ce::254", 128, EGRESS_METADATA | EGRESS_PRIVATE, NOWHERE, 0}, /* Google */
    {"::", 96, EGRESS_EMBEDDED, 12, 0},           /* IPv4-compatible */
    {"::ffff:0:0", 96, EGRESS_EMBEDDED, 12, 0},   /* IPv4-mapped */
    {"::ffff:0:0:0", 96, EGRESS_EMBEDDED, 12, 0}, /* IPv4-translated */
    {"64:ff9b::", 96, EGRESS_EMBEDDED, 12, 0},
    {"64:ff9b:1::", 48, EGRESS_EMBEDDED | EGRESS_PRIVATE, 12, 0}, /* whose prefix length only the network knows */
    {"100::", 64, EGRESS_RESERVED, NOWHERE, 0},
    {"2001::", 32, EGRESS_EMBEDDED, 12, 0xff}, /* Teredo */
    {"2001::", 23, EGRESS_RESERVED, NOWHERE, 0},
    {"2001:db8::", 32, EGRESS_RESERVED, NOWHERE, 0},
    {"2002::", 16, EGRESS_EMBEDDED, 2, 0}, /* 6to4 */
    {"3fff::", 20, EGRESS_RESERVED, NOWHERE, 0},
    {"fc00::", 7, EGRESS_PRIVATE, NOWHERE, 0},
    {"fd00:ec2::", 32, EGRESS_METADATA, NOWHERE, 0}, /* Amazon */
    {"fe80::", 10, EGRESS_LINK_LOCAL, NOWHERE, 0},
    {"fec0::", 10, EGRESS_PRIVATE, NOWHERE, 0}, /* site-local, as it once was */
    {"ff00::", 8, EGRESS_MULTICAST, NOWHERE, 0},
};

static bool is_in(const uint8_t *address, const uint8_t *network, unsigned bits)
{
    size_t whole = bits / 8;
    unsigned rest = bits % 8;

    return memcmp(address, network, whole) == 0 &&
           (rest == 0 || ((address[whole] ^ network[whole]) >> (8 - rest)) == 0);
}

static unsigned classes_v4(const uint8_t address[BYTES_V4])
{
    unsigned classes = 0;

    for (size_t i = 0; i < sizeof(blocks_v4) / sizeof(blocks_v4[0]); i++) {
        uint8_t network[BYTES_V4];
        if (inet_pton(AF_INET, blocks_v4[i].network, network) != 1 ||
            is_in(address, network, blocks_v4[i].bits)) {
            classes |= blocks_v4[i].classes;
        }
    }
    return classes;
}

static unsigned classes_of_block(const struct block_v6 *block, const uint8_t address[BYTES_V6])
{
    uint8_t carried[BYTES_V4];

    if (block->at == NOWHERE) {
        return block->classes;
    }
    for (size_t i = 0; i < BYTES_V4; i++) {
        carried[i] = address[block->at + i] ^ block->flip;
    }
    return block->classes | classes_v4(carried);
}

static bool matches(const struct block_v6 *block, const uint8_t address[BYTES_V6])
{
    uint8_t network[BYTES_V6];

    return inet_pton(AF_INET6, block->network, network) != 1 || is_in(address, network, block->bits);
}

static unsigned classes_v6(const uint8_t address[BYTES_V6])
{
    static const uint8_t isatap[] = {0x00, 0x00, 0x5e, 0xfe};
    unsigned classes = 0;

    for (size_t i = 0; i < sizeof(blocks_v6) / sizeof(blocks_v6[0]); i++) {
        if (!matches(&blocks_v6[i], address)) {
            continue;
        }
        if (blocks_v6[i].bits == BITS_V6) {
            return blocks_v6[i].classes;
        }
        classes |= classes_of_block(&blocks_v6[i], address);
    }
    /* The universal bit of an ISATAP interface says only whether the address is globally unique. */
    if ((address[8] & 0xfd) == 0 && memcmp(address + 9, isatap + 1, sizeof(isatap) - 1) == 0) {
        classes |= EGRESS_EMBEDDED | classes_v4(address + 12);
    }
    /* Only 2000::/3 is allocated; an address outside it and in no block is reserved. */
    return classes == 0 && (address[0] >> 5) != 1 ? EGRESS_RESERVED : classes;
}

unsigned egress_address_classes(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof(v4));
        return classes_v4((const uint8_t *)&v4.sin_addr);
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof(v6));
        return classes_v6((const uint8_t *)&v6.sin6_addr);
    }
    return ALL_CLASSES;
}

bool egress_address_check(const struct sockaddr *address, unsigned allowed, struct error *err)
{
    unsigned missing = egress_address_classes(address) & ~allowed;

    return missing == 0 ||
           error_set(err, ERROR_DENIED, "the address is %s", egress_class_names[__builtin_ctz(missing)]);
}

void egress_address_print(const struct sockaddr *address, char text[EGRESS_ADDRESS_TEXT])
{
    struct sockaddr_storage copy = {0};
    const void *bytes = NULL;

    if (address->sa_family == AF_INET) {
        memcpy(&copy, address, sizeof(struct sockaddr_in));
        bytes = &((struct sockaddr_in *)&copy)->sin_addr;
    } else if (address->sa_family == AF_INET6) {
        memcpy(&copy, address, sizeof(struct sockaddr_in6));
        bytes = &((struct sockaddr_in6 *)&copy)->sin6_addr;
    }
    if (bytes == NULL || inet_ntop(address->sa_family, bytes, text, EGRESS_ADDRESS_TEXT) == NULL) {
        (void)snprintf(text, EGRESS_ADDRESS_TEXT, "?");
    }
}
