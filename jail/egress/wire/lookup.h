/* lookup.h - looks a host up with the system's resolver, for a limited time.
 *
 * The C library's resolver waits for a silent name server for as long as resolv.conf says, 20 seconds and more, and cannot be
 * interrupted. So a thread of its own asks; who waits no longer leaves it behind. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_LOOKUP_H
#define FILTERD_JAIL_EGRESS_WIRE_LOOKUP_H

#include <netdb.h>

#include "base/error.h"
#include "jail/egress/wire/host.h"

/* How long to wait, and a descriptor that ends the wait when it is readable; -1: none. */
struct egress_time_limit {
    int64_t ms;
    int cut;
};

/* NOT_FOUND: it has no address; LIMIT: the time is up. The caller frees *found. Any thread. */
MUST_CHECK bool egress_look_up(const struct egress_host *host, const struct egress_time_limit *limit, struct addrinfo **found,
                               struct error *err);

#endif
