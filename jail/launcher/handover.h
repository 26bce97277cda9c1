/* handover.h - what the monitor makes ready for init, while that makes its namespaces.
 *
 * The policy is read, and all that follows from it done, when init is there already. What it is to have of that
 * lies in memory that was reserved before, at the same address in both, and of each its own: the monitor fills its own and
 * sends it as it is. So pointers into it, and to what was there before init was, mean the same to both.
 * Descriptors are sent with it. */
#ifndef FILTERD_JAIL_LAUNCHER_HANDOVER_H
#define FILTERD_JAIL_LAUNCHER_HANDOVER_H

#include "base/arena.h"
#include "jail/launcher/launch.h"

struct jail_handover {
    void *memory;
    struct arena arena; /* in it, for what `launch` points to */
    struct jail_launch *launch;
};

/* Nothing is reserved. */
void jail_handover_init(struct jail_handover *h);
/* All descriptors of `launch` are -1. */
MUST_CHECK bool jail_handover_reserve(struct jail_handover *h, struct error *err);
void jail_handover_deinit(struct jail_handover *h);

/* Sends JAIL_MESSAGE_GO, the descriptors of `launch` and the memory. They stay the caller's. False, too, when `cancel` is
 * readable before all is sent (-1: waits for as long as it takes): init has nothing to go on with then. */
MUST_CHECK bool jail_handover_send(const struct jail_handover *h, int channel, int cancel, struct error *err);
/* In init, which was made after the memory was reserved. False: the monitor has gone. */
MUST_CHECK bool jail_handover_receive(struct jail_handover *h, int channel);
/* Closes the descriptors of `launch`, but for the egress proxy's, which is not its own. With nothing reserved, nothing. */
void jail_handover_close(struct jail_handover *h);

#endif
