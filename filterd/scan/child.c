#include "scan/child.h"

#include <stddef.h>

static child_run_fn *run_in_child;

void child_run_by(child_run_fn *run)
{
    run_in_child = run;
}

bool child_run(void (*work)(void *context), void *context)
{
    return run_in_child != NULL && run_in_child(work, context);
}
