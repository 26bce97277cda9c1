/* violation_hooks.h - how agents outside a jail are ended: `hooks` in the violations of a policy file. For violations.c. */
#ifndef FILTERD_POLICY_VIOLATION_HOOKS_H
#define FILTERD_POLICY_VIOLATION_HOOKS_H

#include "policy/violations.h"

/* What ends the agent: a command or a webhook. */
field_check_fn violation_hook_check;

#endif
