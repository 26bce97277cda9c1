/* reach.h - restricts a process to the files and ports of a struct sandbox_reach, by Landlock. */
#ifndef FILTERD_SANDBOX_REACH_H
#define FILTERD_SANDBOX_REACH_H

#include "sandbox/sandbox.h"

/* `version` of Landlock, from 1 on. Applies to the calling thread and to threads that it starts later. */
MUST_CHECK bool reach_enter(int version, const struct sandbox_reach *reach, struct error *err);

#endif
