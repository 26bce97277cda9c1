/* capture.h - the jail's network, in which every address is local: any connection of a program reaches a capturing
 * listener, which a process outside serves.
 *
 * A local route for all of IPv4, and of IPv6 where the machine has it, and sockets bound to every address: TCP at the
 * policy's ports, UDP and TCP at port 53. The name that an accepted connection has (getsockname) is the address that was
 * meant. A packet socket sees what nothing listens for. None of the sockets stays in the jail. */
#ifndef FILTERD_JAIL_NETWORK_CAPTURE_H
#define FILTERD_JAIL_NETWORK_CAPTURE_H

#include "jail/policy/policy.h"

/* In the jail's network namespace, with CAP_NET_ADMIN, CAP_NET_RAW and CAP_NET_BIND_SERVICE there and the loopback
 * interface up. Sends the sockets through `channel` (channel.h), and closes them. `canary`: what must not leave; empty: nothing. */
MUST_CHECK bool jail_capture(const struct jail_network *n, int channel, const char *canary, struct error *err);

#endif
