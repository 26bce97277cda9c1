/* run.h - one command in one jail, from policy to exit code.
 *
 * The calling process is the monitor: it starts the jail, carries its input and output, keeps its time
 * limits, ends it. It must be single-threaded, own its children, and have no descriptor open that it
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
    char name[64]; /* of the run: its groups and outputs carry it */
    enum jail_end end;
    int exit_code;      /* what the launcher should exit with */
    bool was_killed;    /* `kill` has the details */
    bool is_out_of_memory; /* the kernel killed something inside for want of memory */
    bool has_outputs;
    char why[200]; /* of JAIL_END_FILTER */
    struct jail_kill_report kill;
    struct jail_use use; /* of a run with a report or a watcher; else 0 */
    struct jail_mechanisms mechanisms; /* those that are missing and gone without */
    struct jail_outputs_report outputs;
    size_t n_snapshots;
    struct jail_events events; /* of this and of what follows most is never written */
    struct jail_snapshot snapshots[JAIL_INPUTS_MAX];
};

/* Nothing has happened, and the launcher refuses. Large: better not on the stack, whose pages every fork copies. */
void jail_outcome_init(struct jail_outcome *o);
/* Which limits the command reached: events, and is_out_of_memory. After its end, while its groups are there. */
void jail_outcome_limits(struct jail_outcome *o, const struct jail_cgroups *groups);
/* The same of its outputs, once they are copied. */
void jail_outcome_outputs(struct jail_outcome *o);

/* Observes system calls: those that `filter` makes wait (seccomp user notification) are answered by `take`, in the
 * calling thread, until every process of the jail is dead. */
struct jail_watcher {
    const struct jail_filter *filter;
    void (*take)(void *context, int notify_fd);
    void *context;
};

/* One at a time in a process. */
struct jail_run;

/* Names the run, and blocks the signals that end it until jail_run_end: from here on they end the jail in order, and what
 * was begun for the run (a report) is finished. The policy outlives the run. NULL with err. */
struct jail_run *jail_run_begin(const struct jail_policy *p, struct jail_outcome *outcome, struct error *err);
/* Once. True when the command was started; else nothing of it ran, err says why, and outcome->exit_code is what the launcher
 * should exit with. No process of the jail runs afterwards. With a watcher (NULL: without), denied calls are its business,
 * not events. In this order: the egress proxy is started; the watchdog; control groups and limits; streams and inputs are
 * opened; init is started and makes its namespaces; GO is sent to it once the jail can be killed; then the monitor watches. */
MUST_CHECK bool jail_run_command(struct jail_run *r, char *const *command, const struct jail_watcher *watcher, struct error *err);
/* After any of these; takes back what is left. NULL is nothing. */
void jail_run_end(struct jail_run *r);

#endif
