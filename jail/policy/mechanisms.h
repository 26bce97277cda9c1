/* mechanisms.h - the isolation mechanisms that a machine may lack, and which ones are missing here.
 *
 * Namespaces, the jail's own root, empty capability sets, no_new_privs and the system call filter are not in this list:
 * a jail never starts without them. Nor is the process limit, which every machine has (RLIMIT_NPROC of the user
 * namespace, Linux 5.14). When one of these is missing, the policy decides: refuse (default), or warn and continue. */
#ifndef FILTERD_JAIL_POLICY_MECHANISMS_H
#define FILTERD_JAIL_POLICY_MECHANISMS_H

#include "jail/policy/policy.h"

enum jail_mechanism {
    JAIL_MECHANISM_MEMORY,
    JAIL_MECHANISM_SWAP,
    JAIL_MECHANISM_CPU,
    JAIL_MECHANISM_CPU_TIME,
    JAIL_MECHANISM_KILL,
    JAIL_MECHANISM_LANDLOCK,
    JAIL_MECHANISM_SCOPES,
    JAIL_MECHANISM_PROC,
    JAIL_MECHANISM_NO_NESTING,
    JAIL_MECHANISM_TABLES,
    JAIL_MECHANISM_COUNT
};

const char *jail_mechanism_name(enum jail_mechanism mechanism);

struct jail_mechanisms {
    unsigned missing; /* bit per enum jail_mechanism */
    struct error reasons[JAIL_MECHANISM_COUNT];
};

/* Notes that a mechanism is missing, for the reason in `why`. True when the policy continues without it; otherwise
 * err says which mechanism, why, and what to do. */
MUST_CHECK bool jail_mechanism_missing(struct jail_mechanisms *w, const struct jail_policy *p, enum jail_mechanism mechanism,
                                  const struct error *why, struct error *err);

#endif
