/* dns_message.h - parses one DNS query and writes a response with addresses (RFC 1035).
 *
 * It accepts only what a resolver library sends: one question in class IN, followed at most by an OPT
 * record (RFC 6891), which is ignored. Names are parsed as hosts, so that other bytes cannot
 * exfiltrate data. Any thread. */
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
    struct span question; /* verbatim, for the answer; points into the packet; empty: it could not be parsed */
    bool has_host;        /* the name is a host name */
    struct egress_host host;
};

/* MALFORMED: not even an error can be sent as the answer. A question that cannot be parsed is empty. */
MUST_CHECK bool egress_dns_read(struct span packet, struct egress_dns_query *out, struct error *err);

/* Appends the answer with the addresses of the question's type, as many as fit; `addresses` may be NULL. */
MUST_CHECK bool egress_dns_write(const struct egress_dns_query *q, enum egress_dns_code code,
                                 const struct egress_addresses *addresses, struct buf *out, struct error *err);

#endif
