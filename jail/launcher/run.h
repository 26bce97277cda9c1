/* run.h - runs one command in one jail, from policy to exit code.
 *
 * The calling process is the monitor: it starts the jail, relays its input and output, enforces its time
 * limits, and ends it. It must be single-threaded, own its children, and have no open descriptor that it
 * needs inside. */
#ifndef FILTERD_JAIL_LAUNCHER_RUN_H
#define FILTERD_JAIL_LAUNCHER_RUN_H

#include "jail/filters/syscalls.h"
#include "jail/kill/kill.h"
#include "jail/policy/event.h"
#include "jail/launcher/outputs.h"
#include "jail/policy/mechanisms.h"
#include "jail/root/snapshot.h"

enum jail_end {
    JAIL_END_COMMAND, /* the command ended by itself */
    JAIL_END_WALL_CLOCK,
    JAIL_END_CPU_TIME,
    JAIL_END_IDLE,
    JAIL_END_OUTPUT,
    JAIL_END_SIGNAL, /* the launcher received SIGINT, SIGTERM, SIGHUP or SIGQUIT */
    JAIL_END_FAULT,  /* a part of the jail failed: the watchdog, init */
    JAIL_END_LEASE,  /* filterd is gone, or did not renew the lease */
    JAIL_END_FILTER, /* filterd ends the agent: jail_outcome's why */
};

/* For people: "the wall clock limit was reached". */
const char *jail_end_text(enum jail_end end);

/* -1: not known on this machine. */
struct jail_use {
    int64_t wall_ms, cpu_ms, memory_peak;
    uint64_t bytes_in, bytes_out; /* of the standard streams */
};

struct jail_outcome {
    char name[64]; /* of the run; also names its groups and outputs */
    enum jail_end end;
    int exit_code;      /* for the launcher */
    bool was_killed;    /* `kill` has the details */
    bool is_out_of_memory; /* the kernel killed a process inside for lack of memory */
    bool has_outputs;
    char why[200]; /* of JAIL_END_FILTER */
    struct jail_kill_report kill;
    struct jail_use use; /* of a run with a report or a watcher; otherwise bytes_out alone */
    struct jail_mechanisms mechanisms; /* missing ones that the policy permits */
    struct jail_outputs_report outputs;
    size_t n_snapshots;
    struct jail_events events; /* this and the following member are mostly never written */
    struct jail_snapshot snapshots[JAIL_INPUTS_MAX];
};

/* Sets an empty outcome with the exit code of a refusal. Large: keep it off the stack, whose pages every fork copies. */
void jail_outcome_init(struct jail_outcome *o);
/* Notes which limits the command reached: events, and is_out_of_memory. Call it after its end, while its groups exist. */
void jail_outcome_limits(struct jail_outcome *o, const struct jail_cgroups *groups);
/* The same for its outputs, once they are copied. */
void jail_outcome_outputs(struct jail_outcome *o);

/* Observes system calls: `take` answers those that `filter` suspends (seccomp user notification), in the
 * calling thread, until every process of the jail is dead. */
struct jail_watcher {
    const struct jail_filter *filter;
    void (*take)(void *context, int notify_fd);
    void *context;
};

/* One at a time in a process. */
struct jail_run;

/* Names the run, and blocks the signals that end it until jail_run_end: from here on they end the jail in order, and the
 * run's report is completed. The policy must outlive the run. NULL with err. */
struct jail_run *jail_run_begin(const struct jail_policy *p, struct jail_outcome *outcome, struct error *err);
/* Call it once. True when the command was started; otherwise it never ran, err says why, and outcome->exit_code is the
 * launcher's exit code. No process of the jail is left afterwards. With a watcher (NULL: none), denied calls go to it
 * and are not events. The order is: start the egress proxy and the watchdog; make control groups and limits; open streams and
 * inputs; start init, which makes its namespaces; send GO to it once the jail can be killed; watch as the monitor. */
MUST_CHECK bool jail_run_command(struct jail_run *r, char *const *command, const struct jail_watcher *watcher, struct error *err);
/* Call it after any of these; releases all that is left. Accepts NULL. */
void jail_run_end(struct jail_run *r);

#endif
