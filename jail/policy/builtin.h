/* builtin.h - the profiles of jail/profiles, inside the program: policies that others begin with.
 *
 * They are in the program so that a profile is as trusted as the program itself, whichever user starts it from
 * wherever; the installed files are for reading. */
#ifndef FILTERD_JAIL_POLICY_BUILTIN_H
#define FILTERD_JAIL_POLICY_BUILTIN_H

#include <stddef.h>

struct jail_builtin {
    const char *name, *yaml;
    size_t len;
};

/* Sorted by name; made by jail/profiles/embed when the program is built. */
extern const struct jail_builtin jail_builtins[];
extern const unsigned jail_builtin_count;

#endif
