/* network.h - the jail's own network, made by a thread while the first process builds the root: it takes as long as that.
 *
 * The thread moves to the new network alone and ends; the process follows when it finishes. Until then the process, and
 * nobody else in the jail, is in the machine's network. */
#ifndef FILTERD_JAIL_LAUNCHER_NETWORK_H
#define FILTERD_JAIL_LAUNCHER_NETWORK_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "jail/launcher/launch.h"

struct jail_network_made {
    struct jail_launch *launch;
    pthread_t thread;
    bool is_thread, is_made;
    atomic_bool has_begun; /* the thread has had its turn */
    int proc, network; /* the machine's /proc; the namespace */
    cpu_set_t processors; /* that the process may have */
    struct error err;
};

/* In the jail's user namespace, with its rights there, the machine's /proc in sight. `n` stays where it is until the end.
 * A machine that allows no thread: it is made at once. */
void jail_network_begin(struct jail_network_made *n, struct jail_launch *l);
/* The calling process is in the jail's network; no thread is left. What failed since the beginning is told here. */
MUST_CHECK bool jail_network_finish(struct jail_network_made *n, struct error *err);

#endif
