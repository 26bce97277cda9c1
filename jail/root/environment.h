/* environment.h - the command's environment: the policy's variables, and those that every program expects. */
#ifndef FILTERD_JAIL_ROOT_ENVIRONMENT_H
#define FILTERD_JAIL_ROOT_ENVIRONMENT_H

#include "jail/policy/policy.h"

/* NULL-terminated "NAME=value"s in the arena; passed values come from `own`. has_authority adds the variables that name
 * the authorities of trust.h. NULL with err. */
char **jail_environment(const struct jail_policy *p, char *const *own, bool has_authority, struct arena *a,
                        struct error *err);

#endif
