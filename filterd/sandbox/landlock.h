/* landlock.h - Landlock by its system calls, with what the running kernel has of it. */
#ifndef FILTERD_SANDBOX_LANDLOCK_H
#define FILTERD_SANDBOX_LANDLOCK_H

#include "sandbox/sandbox.h"

/* The kernel's version of Landlock; 0 or less: none. */
int landlock_abi(void);
bool landlock_covers_connections(int abi);
/* Binds the calling thread and those it starts later. */
MUST_CHECK bool landlock_enter(int abi, const struct sandbox_reach *reach, struct error *err);

#endif
