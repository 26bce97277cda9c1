/* relay.h - relays bytes between the caller and the jail, so that the jail gets no descriptor of the caller.
 *
 * A descriptor is more than bytes: a terminal accepts commands, a folder gives access to its neighbours,
 * a Unix socket passes other descriptors. Unread bytes wait in one buffer; while the reader does not take
 * them, the writer blocks. Descriptors are borrowed. */
#ifndef FILTERD_JAIL_LAUNCHER_RELAY_H
#define FILTERD_JAIL_LAUNCHER_RELAY_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { JAIL_RELAY_BYTES = 4096 }; /* PIPE_BUF: a pipe that takes any takes all of it */

struct jail_relay {
    int from, to; /* -1: closed */
    size_t at, len;
    uint64_t carried;
    char bytes[JAIL_RELAY_BYTES];
};

void jail_relay_init(struct jail_relay *r, int from, int to);
/* The event to wait for; fd -1: none. */
struct pollfd jail_relay_wanted(const struct jail_relay *r);
/* Reads or writes what `p` reports as possible. Either side may close. */
void jail_relay_step(struct jail_relay *r, const struct pollfd *p);
/* True when no more bytes will be relayed. */
bool jail_relay_is_over(const struct jail_relay *r);

#endif
