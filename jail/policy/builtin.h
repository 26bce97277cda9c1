/* builtin.h - the built-in profiles of jail/profiles: base policies that others extend.
 *
 * They are built in so that a profile is as trusted as the program, whatever user starts it in whatever folder;
 * the installed files are only for reference. */
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
