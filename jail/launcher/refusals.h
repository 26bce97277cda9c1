/* refusals.h - system calls that the jail was refused and that no ordinary program makes: answered outside, and counted.
 *
 * The filter (jail/filters) lets them wait for the listener that the command's process sent out. Every answer is EPERM,
 * so that nothing is decided here: a listener that is gone makes them ENOSYS. */
#ifndef FILTERD_JAIL_LAUNCHER_REFUSALS_H
#define FILTERD_JAIL_LAUNCHER_REFUSALS_H

#include "jail/policy/event.h"
#include "jail/network/way_out.h"

/* Answers those that wait, at most so many that others get their turn. Sockets are events of the network and stand in
 * the record of the way out, where there is one. */
void jail_refusals_take(int listener, const struct jail_way_out *w, struct jail_events *events);

#endif
