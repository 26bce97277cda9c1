/* child_process.h - a child_run_fn (scan/child.h): fork(2), so that all the memory which the work used is given back.
 *
 * Not for a process with threads, whose locks a child inherits as they are, nor behind a sandbox that refuses fork. The child dies with
 * this process. */
#ifndef FILTERD_SERVER_CHILD_PROCESS_H
#define FILTERD_SERVER_CHILD_PROCESS_H

#include <stdbool.h>

bool child_process_run(void (*work)(void *context), void *context);

#endif
