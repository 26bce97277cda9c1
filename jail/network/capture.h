/* capture.h - the jail's network, in which every address is local: any connection of a program reaches a capturing
 * listener, which a process outside serves.
 *
 * It has a local route for all of IPv4, and of IPv6 if the machine has it, and sockets bound to every address: TCP at the
 * policy's ports, UDP and TCP at port 53. The local name of an accepted connection (getsockname) is its original
 * destination. A packet socket receives packets without a listener. None of the sockets remains in the jail. */
#ifndef FILTERD_JAIL_NETWORK_CAPTURE_H
#define FILTERD_JAIL_NETWORK_CAPTURE_H

#include "jail/policy/policy.h"

/* Call it in the jail's network namespace, with CAP_NET_ADMIN, CAP_NET_RAW and CAP_NET_BIND_SERVICE there and the loopback
 * interface up. Sends the sockets through `channel` (channel.h), and closes them. `canary`: text that must not leave; empty:
 * none. */
MUST_CHECK bool jail_capture(const struct jail_network *n, int channel, const char *canary, struct error *err);

#endif
