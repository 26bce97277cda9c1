/* dial.h - connects to an allowed host at an allowed address.
 *
 * A name is resolved once; addresses of a class that the rule does not name are dropped, and one of
 * the others is connected to. There is no second lookup, whose answer could differ. */
#ifndef FILTERD_JAIL_EGRESS_DIAL_H
#define FILTERD_JAIL_EGRESS_DIAL_H

#include "jail/egress/address.h"
#include "jail/egress/policy.h"

enum { EGRESS_ADDRESSES_MAX = 16 };

struct egress_addresses {
    struct sockaddr_storage items[EGRESS_ADDRESSES_MAX]; /* with the port */
    size_t n;
};

/* The addresses that may be connected to: the rule's own, the host when it is one, or what the system's resolver
 * says. NOT_FOUND when there are none, DENIED when there are none that the rule allows; *refused is then the text of
 * one of them, else it is empty. Waits for the resolver as long as that waits by itself. */
MUST_CHECK bool egress_resolve(const struct egress_rule *rule, const struct egress_host *host, uint16_t port,
                               struct egress_addresses *out, char refused[EGRESS_ADDRESS_TEXT], struct error *err);

/* Tries them in order, each for `connect_ms`; none any more when `cut` is readable (-1: never). *fd is the caller's, non-blocking; `text` the address it leads to. */
MUST_CHECK bool egress_connect(const struct egress_addresses *addresses, int64_t connect_ms, int cut, int *fd,
                               char text[EGRESS_ADDRESS_TEXT], struct error *err);

#endif
