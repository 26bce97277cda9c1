/* relay.h - bytes carried between the caller and the jail, so that no descriptor of the caller's goes in.
 *
 * A descriptor is more than bytes: a terminal takes typed commands, a folder leads to its neighbours,
 * a Unix socket hands over others. What is not read yet waits in one buffer; when a side does not take
 * it, its writer waits. Descriptors are not owned. */
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
/* What to wait for; fd -1: nothing. */
struct pollfd jail_relay_wanted(const struct jail_relay *r);
/* Does what `p` says is possible. Either side may close by it. */
void jail_relay_step(struct jail_relay *r, const struct pollfd *p);
/* Nothing will ever be carried again. */
bool jail_relay_is_over(const struct jail_relay *r);

#endif
