/* dns_message.h - parses one DNS query and writes a response with addresses (RFC 1035).
 *
 * Only what a resolver library sends is read: one question in class IN, nothing behind it but an OPT
 * record (RFC 6891), which is not looked into. Names are read as hosts, so that bytes that no host has
 * carry nothing out. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_DNS_MESSAGE_H
#define FILTERD_JAIL_EGRESS_DNS_MESSAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "jail/egress/dial.h"

enum { EGRESS_DNS_MAX = 512, EGRESS_DNS_TTL = 60 };
enum { EGRESS_DNS_A = 1, EGRESS_DNS_AAAA = 28 };
enum egress_dns_code { EGRESS_DNS_OK = 0, EGRESS_DNS_FORMAT = 1, EGRESS_DNS_FAILURE = 2, EGRESS_DNS_NO_NAME = 3,
                       EGRESS_DNS_REFUSED = 5 };

struct egress_dns_query {
    uint16_t id, type;
    bool wants_recursion;
    struct span question; /* as it came, for the answer; in the packet; empty: it could not be read */
    bool has_host;        /* the name is a host's */
    struct egress_host host;
};

/* MALFORMED: not even an error can be answered. A question that cannot be read is empty. */
MUST_CHECK bool egress_dns_read(struct span packet, struct egress_dns_query *out, struct error *err);

/* Appends the answer with those of the addresses that are of the question's type, as far as they fit; `addresses` may
 * be NULL. */
MUST_CHECK bool egress_dns_write(const struct egress_dns_query *q, enum egress_dns_code code,
                                 const struct egress_addresses *addresses, struct buf *out, struct error *err);

#endif
