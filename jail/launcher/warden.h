/* warden.h - the launcher while the jail runs: carries bytes, keeps limits, ends it. For run.c. */
#ifndef FILTERD_JAIL_LAUNCHER_WARDEN_H
#define FILTERD_JAIL_LAUNCHER_WARDEN_H

#include "jail/launcher/launch.h"
#include "jail/launcher/lease.h"
#include "jail/launcher/relay.h"
#include "jail/launcher/run.h"
#include "jail/launcher/sentinel.h"
#include "jail/network/way_out.h"

enum { JAIL_RELAYS = 4 };
enum jail_relay_index { JAIL_RELAY_IN, JAIL_RELAY_OUT, JAIL_RELAY_ERR, JAIL_RELAY_TERMINAL };

struct jail_warden {
    const struct jail_watcher *watcher; /* NULL: refused calls are events */
    const struct jail_policy *policy;
    struct jail_outcome *outcome;
    struct jail_cgroups groups;
    struct jail_kill_target target;
    struct jail_sentinel sentinel;
    struct jail_way_out way_out;
    struct jail_lease lease;
    struct jail_relay relays[JAIL_RELAYS];
    int pipes[3]; /* the warden's ends of the command's standard streams; -1: the terminal */
    int master;   /* of the jail's terminal; -1: none */
    int listener; /* hears of refused calls; -1: nobody does */
    bool is_listener_over; /* whoever it hears is gone; to close it now would be in the way of the end */
    int decoys;   /* the watch of them; -1: none */
    int outputs;  /* the outputs folder's mount; -1: none */
    int control, signals;
    int terminal_out; /* where the terminal's output goes */
    int64_t started, active, cpu_seen;
    uint64_t carried_seen;
    bool is_ready, has_status;
    bool is_over; /* nobody is left but the first process, which has been told to die */
    int status; /* of the command */
    int signal; /* that the launcher was told to end with */
    bool has_failed;
    struct jail_message failed;
};

/* An event of the way out; the context is a warden's outcome. */
void jail_warden_note_event(void *outcome, const struct jail_channel_message *m);
/* Returns when every process of the jail is dead but the first, which has been told to die, or when that could not be seen. */
void jail_warden_watch(struct jail_warden *w);

/* Of a run that is over, while its groups are there. */
struct jail_use jail_warden_use(const struct jail_warden *w);

#endif
