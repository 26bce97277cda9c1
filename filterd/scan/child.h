/* child.h - work that leaves much in memory, for a child process of programs that can have one.
 *
 * The library has none: it must not fork. The work sees the memory of the process and changes none of it: its results are files.
 * Not thread-safe. */
#ifndef FILTERD_SCAN_CHILD_H
#define FILTERD_SCAN_CHILD_H

#include <stdbool.h>

/* Runs work in a child process and waits for its end. False: the work did not return. */
typedef bool child_run_fn(void (*work)(void *context), void *context);

/* NULL, the default: there are no children. */
void child_run_by(child_run_fn *run);
/* False, too, when there are none. */
bool child_run(void (*work)(void *context), void *context);

#endif
