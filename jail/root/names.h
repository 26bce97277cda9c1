/* names.h - masks denied names (*.env, keys) inside an input.
 *
 * It uses two mechanisms. An empty mount with mode 0 covers each existing entry with such a name. Landlock allows
 * each other file, so a file that appears later cannot be read, whatever its name. */
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

/* `top` (O_PATH) is where the input is mounted in the jail; its own name is not checked, because the policy
 * names it. */
MUST_CHECK bool jail_names_deny(struct jail_names *n, int top, struct error *err);

#endif
