/* outcome.c - the outcome of a run (run.h): its initial state, and texts for its end. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "jail/cgroup/cgroup.h"
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
        [JAIL_END_SIGNAL] = "the launcher received a signal",
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

void jail_outcome_limits(struct jail_outcome *o, const struct jail_cgroups *groups)
{
    static const bool is_limit[] = {
        [JAIL_END_WALL_CLOCK] = true, [JAIL_END_CPU_TIME] = true, [JAIL_END_IDLE] = true, [JAIL_END_OUTPUT] = true, [JAIL_END_FILTER] = false};
    int64_t refused = jail_cgroups_refused_processes(groups);
    char detail[JAIL_EVENT_DETAIL];

    o->is_out_of_memory = jail_cgroups_ran_out_of_memory(groups);
    if (o->is_out_of_memory) {
        jail_event_report(&o->events, JAIL_EVENT_LIMIT_REACHED, "memory: the kernel ended a process");
    }
    if (refused > 0) {
        (void)snprintf(detail, sizeof(detail), "processes: %" PRId64 " were refused", refused);
        jail_event_report(&o->events, JAIL_EVENT_LIMIT_REACHED, detail);
    }
    if (is_limit[o->end]) {
        jail_event_report(&o->events, JAIL_EVENT_LIMIT_REACHED, jail_end_text(o->end));
    }
}

/* A full or slow disk is not the command's fault. */
void jail_outcome_outputs(struct jail_outcome *o)
{
    char detail[JAIL_EVENT_DETAIL];

    if (o->outputs.refused[JAIL_OUTPUTS_SIZE] > 0) {
        (void)snprintf(detail, sizeof(detail), "outputs: %" PRId64 " files were refused for their size", o->outputs.refused[JAIL_OUTPUTS_SIZE]);
        jail_event_report(&o->events, JAIL_EVENT_LIMIT_REACHED, detail);
    }
}
