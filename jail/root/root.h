/* root.h - the jail's own root.
 *
 * It has /usr and its links read-only, a small /etc, inputs read-only, and in memory: copies of inputs, the work
 * folder, /tmp, /dev, the outputs. It is built in the jail's mount namespace by descriptors and entered by pivot_root; the
 * machine's root is then unmounted. */
#ifndef FILTERD_JAIL_ROOT_ROOT_H
#define FILTERD_JAIL_ROOT_ROOT_H

#include "jail/policy/mechanisms.h"
#include "jail/root/snapshot.h"

struct jail_root {
    const struct jail_policy *policy;
    struct jail_mechanisms *mechanisms;
    int *inputs; /* per input: a detached mount (taken over), or -1: not opened yet */
    const char *authority; /* PEM for programs to trust; empty: none */
    const char *canary;    /* of honeytokens */
    int version; /* of Landlock; 0: none */
    struct jail_snapshot *snapshots; /* out, room for one per input */
    size_t n_snapshots;              /* out */
    int ruleset; /* out: of Landlock, complete; -1: none */
    int honeytokens;  /* out: the watch of them; -1: none */
    int outputs; /* out: the mount of the outputs folder; -1: none */
};

/* The host path of an input as a detached read-only mount. */
int jail_root_open_input(const struct jail_input *input, struct error *err);

/* Call it in the new namespaces, as the jail's user, with capabilities there. Also changes the root of every other process
 * of the mount namespace that had the machine's root. */
MUST_CHECK bool jail_root_enter(struct jail_root *r, struct error *err);

enum { JAIL_USER = 1000 }; /* the jail's user and group, as it sees them */

#endif
