/* violation_hooks.h - hooks that end agents outside a jail: `hooks` in the violations of a policy file. For violations.c. */
#ifndef FILTERD_POLICY_VIOLATION_HOOKS_H
#define FILTERD_POLICY_VIOLATION_HOOKS_H

#include "policy/violations.h"

/* Checks that a hook has either a command or a webhook. */
field_check_fn violation_hook_check;

#endif
