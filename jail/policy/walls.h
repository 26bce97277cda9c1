/* walls.h - what stands between the jail and the machine, and what of it is missing here.
 *
 * The namespaces, the root of its own, the empty capabilities and no_new_privs are not in this list:
 * without them there is no jail, nor is the limit of processes,
 * which every machine has (RLIMIT_NPROC of the user namespace, Linux 5.14). These may be missing on a machine; the policy says whether that is
 * refused (default) or said and gone on with. */
#ifndef FILTERD_JAIL_POLICY_WALLS_H
#define FILTERD_JAIL_POLICY_WALLS_H

#include "jail/policy/policy.h"

enum jail_wall {
    JAIL_WALL_MEMORY,
    JAIL_WALL_SWAP,
    JAIL_WALL_CPU,
    JAIL_WALL_CPU_TIME,
    JAIL_WALL_KILL,
    JAIL_WALL_LANDLOCK,
    JAIL_WALL_SCOPES,
    JAIL_WALL_PROC,
    JAIL_WALL_NO_NESTING,
    JAIL_WALL_TABLES,
    JAIL_WALL_COUNT
};

const char *jail_wall_name(enum jail_wall wall);
/* One line: what it keeps from happening. */
const char *jail_wall_purpose(enum jail_wall wall);

struct jail_walls {
    unsigned missing; /* bit per enum jail_wall */
    struct error reasons[JAIL_WALL_COUNT];
};

/* Notes that a wall is missing, for the reason in `why`. True when the policy goes on without; else
 * err says which wall, why, and what to do. */
MUST_CHECK bool jail_wall_missing(struct jail_walls *w, const struct jail_policy *p, enum jail_wall wall,
                                  const struct error *why, struct error *err);

#endif
