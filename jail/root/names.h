/* names.h - names that are denied inside a folder that is shown (*.env, keys).
 *
 * Two walls. What has such a name now is covered by something empty that nobody may open. Landlock
 * opens the other files one by one, so a file that appears later, under whatever name, stays shut. */
#ifndef FILTERD_JAIL_ROOT_NAMES_H
#define FILTERD_JAIL_ROOT_NAMES_H

#include "jail/policy/policy.h"

enum { JAIL_NAMES_ENTRIES_MAX = 200000, JAIL_NAMES_DEPTH_MAX = 64 };

struct jail_names {
    const struct jail_policy *policy;
    int covers[2]; /* O_PATH: what covers a file, what covers a folder; mode 0 */
    int ruleset;   /* of Landlock; -1: none */
    int version;
    size_t n_entries, n_covered;
};

/* `top` (O_PATH) is where the input is mounted in the jail; its own name is not judged, the policy
 * gave it. */
MUST_CHECK bool jail_names_deny(struct jail_names *n, int top, struct error *err);

#endif
