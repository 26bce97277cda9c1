/* child.h - runs work in a child process, so that all the memory it used is given back.
 *
 * The work sees the memory of this process and changes none of it: its results are files. Not for a process with threads, whose locks a
 * child inherits as they are, nor behind a sandbox that refuses fork(2). Not thread-safe. */
#ifndef FILTERD_SCAN_CHILD_H
#define FILTERD_SCAN_CHILD_H

#include <stdbool.h>

/* Not allowed by default. */
void child_allow(bool is_allowed);
/* Waits for its end; the child dies with this process. False: it is not allowed, or the work did not return. */
bool child_run(void (*work)(void *context), void *context);

#endif
