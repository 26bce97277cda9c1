/* outcome.c - of a run, as run.h has it: what it is before, and in words. */
#include <stddef.h>
#include <string.h>

#include "jail/launcher/launch.h"
#include "jail/launcher/run.h"

const char *jail_end_text(enum jail_end end)
{
    static const char *const texts[] = {
        [JAIL_END_COMMAND] = "the command ended",
        [JAIL_END_WALL_CLOCK] = "the wall clock limit was reached",
        [JAIL_END_CPU_TIME] = "the processor time limit was reached",
        [JAIL_END_IDLE] = "the idle limit was reached",
        [JAIL_END_OUTPUT] = "the output limit was reached",
        [JAIL_END_SIGNAL] = "the launcher was told to end",
        [JAIL_END_FAULT] = "a part of the jail failed",
        [JAIL_END_LEASE] = "filterd is gone or silent",
        [JAIL_END_FILTER] = "filterd ended the agent",
    };
    return texts[end];
}

void jail_outcome_init(struct jail_outcome *o)
{
    memset(o, 0, offsetof(struct jail_outcome, events) + offsetof(struct jail_events, items));
    o->exit_code = JAIL_EXIT_REFUSED;
}
