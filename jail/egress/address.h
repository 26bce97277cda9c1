/* address.h - classes of IP addresses, by the registries of IANA.
 *
 * A public unicast address has no class. Every other address has one or more, and a connection to it requires
 * a rule that names all of them: 169.254.169.254 is link-local and a metadata service, and
 * ::ffff:10.0.0.1 is embedded and private. Sources: the IANA special-purpose address registries for
 * IPv4 and IPv6 (RFC 6890 and its updates), RFC 6052 (NAT64), RFC 3056 (6to4), RFC 4380 (Teredo),
 * RFC 5214 (ISATAP), and the clouds' own documents for their metadata services. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_ADDRESS_H
#define FILTERD_JAIL_EGRESS_ADDRESS_H

#include <sys/socket.h>

#include "base/error.h"

enum egress_class {
    EGRESS_LOOPBACK = 1 << 0,
    EGRESS_PRIVATE = 1 << 1,
    EGRESS_LINK_LOCAL = 1 << 2,
    EGRESS_METADATA = 1 << 3,
    EGRESS_SHARED = 1 << 4, /* of carriers, RFC 6598 */
    EGRESS_MULTICAST = 1 << 5,
    EGRESS_RESERVED = 1 << 6, /* unspecified, broadcast, documentation, tests, not assigned */
    EGRESS_EMBEDDED = 1 << 7, /* an IPv6 address that contains an IPv4 one, whose classes count, too */
    EGRESS_CLASSES = 8,       /* the number of classes */
};

/* In the order of the bits; NULL-terminated. */
extern const char *const egress_class_names[];

/* The classes of an address; all classes when it is neither IPv4 nor IPv6. */
unsigned egress_address_classes(const struct sockaddr *address);

/* DENIED, naming the first class that is not among the allowed ones. */
MUST_CHECK bool egress_address_check(const struct sockaddr *address, unsigned allowed, struct error *err);

/* Dotted quad, or IPv6 without brackets; "?" for other families. */
enum { EGRESS_ADDRESS_TEXT = 46 };
void egress_address_print(const struct sockaddr *address, char text[EGRESS_ADDRESS_TEXT]);

#endif
