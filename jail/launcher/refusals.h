/* refusals.h - counts denied system calls that ordinary programs do not make, and answers them with EPERM.
 *
 * The filter (jail/filters) suspends them (seccomp user notification) until the launcher answers. The answer is always
 * EPERM; when the notify fd is closed, the kernel fails them with ENOSYS. */
#ifndef FILTERD_JAIL_LAUNCHER_REFUSALS_H
#define FILTERD_JAIL_LAUNCHER_REFUSALS_H

#include "jail/policy/event.h"
#include "jail/network/egress.h"

/* The rate of refused calls: a hundred a second after the first thousand. A call above it is suspended, so that a
 * program that makes them in a loop fills no record. Zero at the beginning. */
struct jail_refusals {
    int64_t next_ms;
};
/* True when the next call must wait. */
bool jail_refusals_wait(const struct jail_refusals *r);

/* Answers waiting calls, a bounded number at a time. Sockets are network events, and the egress proxy, if any, also
 * records them. */
void jail_refusals_take(struct jail_refusals *r, int notify_fd, const struct jail_egress *w, struct jail_events *events);

#endif
