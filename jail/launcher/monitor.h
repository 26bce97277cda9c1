/* monitor.h - the launcher while the jail runs: relays bytes, enforces limits, kills the jail. For run.c. */
#ifndef FILTERD_JAIL_LAUNCHER_MONITOR_H
#define FILTERD_JAIL_LAUNCHER_MONITOR_H

#include "jail/launcher/launch.h"
#include "jail/lease/lease.h"
#include "jail/launcher/refusals.h"
#include "jail/launcher/relay.h"
#include "jail/launcher/run.h"
#include "jail/launcher/watchdog.h"
#include "jail/network/egress.h"

enum { JAIL_RELAYS = 4 };
enum jail_relay_index { JAIL_RELAY_IN, JAIL_RELAY_OUT, JAIL_RELAY_ERR, JAIL_RELAY_TERMINAL };

struct jail_monitor {
    const struct jail_watcher *watcher; /* NULL: refused calls are events */
    const struct jail_policy *policy;
    struct jail_outcome *outcome;
    struct jail_cgroups groups;
    struct jail_kill_target target;
    struct jail_watchdog watchdog;
    struct jail_egress egress;
    struct jail_lease lease;
    struct jail_relay relays[JAIL_RELAYS];
    int pipes[3]; /* the monitor's ends of the command's standard streams; -1: the terminal */
    int master;   /* of the jail's terminal; -1: none */
    struct jail_refusals refusals;
    int notify_fd; /* seccomp user notification of denied calls; -1: not available */
    bool is_notify_over; /* the notifying processes are gone; closing the fd costs 0.1 ms, so it waits for the end */
    int honeytokens;   /* the watch of them; -1: none */
    int outputs;  /* the outputs folder's mount; -1: none */
    int control, signals;
    int terminal_out; /* where the terminal's output goes */
    int64_t started, active, cpu_seen;
    uint64_t carried_seen;
    bool is_ready, has_status;
    bool is_over; /* only init is left, and SIGKILL was sent to it */
    int status; /* of the command */
    int signal; /* that ended the launcher */
    bool has_failed;
    struct jail_message failed;
};

/* Notes an event of the egress proxy; the context is a monitor's outcome. */
void jail_monitor_note_event(void *outcome, const struct jail_channel_message *m);
/* Returns when every process of the jail is dead, except init, to which SIGKILL was sent; or when that could not be verified. */
void jail_monitor_watch(struct jail_monitor *w);

/* The resources used by a finished run, but for bytes_out, while its groups exist: the watchdog removes them a second after the
 * wall clock limit. */
struct jail_use jail_monitor_use(const struct jail_monitor *w);
/* Relays what the dead processes left in pipes, as long as the caller reads, after a kill for a second; all their ends are closed,
 * so there is an end of file. Sets bytes_out. */
void jail_monitor_drain(struct jail_monitor *w);

#endif
