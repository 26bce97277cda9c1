/* refusals.h - denied system calls that ordinary programs do not make: counted, and answered with EPERM.
 *
 * The filter (jail/filters) suspends them (seccomp user notification) until the launcher answers. The answer is always
 * EPERM, so nothing is decided here; when the notify fd is closed the kernel fails them with ENOSYS. */
#ifndef FILTERD_JAIL_LAUNCHER_REFUSALS_H
#define FILTERD_JAIL_LAUNCHER_REFUSALS_H

#include "jail/policy/event.h"
#include "jail/network/egress.h"

/* Answers waiting calls, a bounded number at a time. Sockets are events of the network and also go into the egress
 * proxy's record, where there is one. */
void jail_refusals_take(int notify_fd, const struct jail_egress *w, struct jail_events *events);

#endif
