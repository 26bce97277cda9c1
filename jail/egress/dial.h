/* dial.h - connects to an allowed host at an allowed address.
 *
 * A name is resolved once; addresses of a class that the rule does not name are dropped, and the proxy
 * connects to one of the others. There is no second lookup, whose answer could differ. */
#ifndef FILTERD_JAIL_EGRESS_DIAL_H
#define FILTERD_JAIL_EGRESS_DIAL_H

#include "jail/egress/address.h"
#include "jail/egress/wire/lookup.h"
#include "jail/egress/policy.h"

enum { EGRESS_ADDRESSES_MAX = 16 };

struct egress_addresses {
    struct sockaddr_storage items[EGRESS_ADDRESSES_MAX]; /* with the port */
    size_t n;
};

/* The permitted addresses: the rule's own, the host when it is an address, or those from the system's
 * resolver. NOT_FOUND when there are none; DENIED when the rule allows none, and *refused is then the text of
 * one of them, otherwise empty. LIMIT when the time is up. */
MUST_CHECK bool egress_resolve(const struct egress_rule *rule, const struct egress_host *host, uint16_t port,
                               const struct egress_time_limit *limit, struct egress_addresses *out,
                               char refused[EGRESS_ADDRESS_TEXT], struct error *err);

/* Those of filterd's proxy, which the operator named: of any class with https, of loopback alone without. */
MUST_CHECK bool egress_resolve_via(const struct egress_via *via, const struct egress_time_limit *limit,
                                   struct egress_addresses *out, char refused[EGRESS_ADDRESS_TEXT], struct error *err);

/* What the jail's resolver says of a host behind filterd's proxy: its own address is not looked up. */
void egress_resolve_unused(struct egress_addresses *out);

/* Tries them in order, each for `connect_ms`, until `cut` is readable (-1: never). The caller owns *fd, which is non-blocking;
 * `text` is its address. */
MUST_CHECK bool egress_connect(const struct egress_addresses *addresses, int64_t connect_ms, int cut, int *fd,
                               char text[EGRESS_ADDRESS_TEXT], struct error *err);

#endif
