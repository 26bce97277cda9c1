/* launch.h - state shared by the processes of one launch, and the messages between them.
 *
 * Outside the jail: the monitor (the launcher itself) and the watchdog, which ends the jail if the
 * monitor dies. Inside: init, which builds the jail and reaps, and the command. */
#ifndef FILTERD_JAIL_LAUNCHER_LAUNCH_H
#define FILTERD_JAIL_LAUNCHER_LAUNCH_H

#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>

#include "jail/cgroup/cgroup.h"
#include "jail/filters/syscalls.h"
#include "jail/root/honeytoken.h"
#include "jail/root/snapshot.h"
#include "jail/policy/mechanisms.h"

struct jail_launch {
    const struct jail_policy *policy;
    char *const *command;
    char *const *environment;
    struct jail_filter filter, notify_filter; /* notify_filter is tried first */
    int landlock_version;
    bool is_privileged;  /* started by root: the jail has its own user ID */
    bool has_cpu_share;  /* a control group keeps the jail from starving the monitor */
    const char *authority; /* PEM, for the jail to trust; empty: none */
    char canary[JAIL_CANARY + 1]; /* content of honeytokens */
    int egress;           /* the channel to filterd-egress; -1: the jail has no network */
    int control;         /* init's end of the channel to the monitor */
    int cgroup_fds[JAIL_TREES_MAX]; /* to control groups (cgroup.h); -1: none */
    int stdio[3];        /* the command's; -1: the terminal */
    int inputs[JAIL_INPUTS_MAX];
    bool has_terminal;
    struct termios terminal;
    struct winsize window;
};

/* Sets all descriptors to -1 and everything else to zero. */
void jail_launch_init(struct jail_launch *l);
/* Fills the descriptors for init; returns their number. */
enum { JAIL_LAUNCH_DESCRIPTORS_MAX = 1 + 1 + 3 + JAIL_INPUTS_MAX + JAIL_TREES_MAX };
size_t jail_launch_descriptors(const struct jail_launch *l, int fds[JAIL_LAUNCH_DESCRIPTORS_MAX]);
/* Closes the monitor's copies, once init has its own, except `egress`, which jail_egress closes. */
void jail_launch_close(struct jail_launch *l);

enum jail_message_kind {
    JAIL_MESSAGE_GO = 1,  /* to init: its user is mapped, and the jail can be killed; to the watchdog: the jail begins,
                             lease_ms, wall_ms; descriptors: init's pidfd, the lease */
    JAIL_MESSAGE_MISSING, /* mechanism: missing, the policy continues without it */
    JAIL_MESSAGE_SNAPSHOT, /* snapshot: an input was copied */
    JAIL_MESSAGE_READY,   /* the jail is built, the command is next; descriptors: terminal, outputs, watch of honeytokens,
                             the notify fd of denied calls, according to has_…; to the watchdog: the command has started */
    JAIL_MESSAGE_FAILED,  /* error; status: the launcher's exit code */
    JAIL_MESSAGE_RENEWED, /* to the watchdog: filterd has renewed the lease */
    JAIL_MESSAGE_LAPSED,  /* from the watchdog: the lease has expired, it kills the jail */
    JAIL_MESSAGE_OVERDUE, /* from the watchdog: the wall clock limit has passed and the monitor has not acted */
    JAIL_MESSAGE_ENDED,   /* status of the command, as from waitpid; is_alone: only init outlived it */
};

struct jail_message {
    enum jail_message_kind kind;
    int status;
    enum jail_mechanism mechanism;
    int lease_ms;
    int64_t wall_ms; /* JAIL_NONE: no limit */
    struct jail_snapshot snapshot;
    bool has_terminal, has_outputs, has_honeytokens, has_notify_fd, is_alone;
    struct error error;
};

enum { JAIL_DESCRIPTORS_MAX = 4 }; /* of one message; READY has the most */

/* READY without the notify fd: the command's process has that fd and sends all of them in one message to the monitor. */
struct jail_ready {
    struct jail_message message;
    int fds[JAIL_DESCRIPTORS_MAX];
    size_t n;
};

/* One datagram; at most JAIL_DESCRIPTORS_MAX descriptors. */
MUST_CHECK bool jail_message_send(int channel, const struct jail_message *m, const int *fds, size_t n);
/* What the peer sent before it ended is received, also if it left messages unread. False when the peer closed the channel,
 * and when not all descriptors could be received: others would be mistaken for them. Sets unused fds to -1. */
MUST_CHECK bool jail_message_receive(int channel, struct jail_message *m, int fds[JAIL_DESCRIPTORS_MAX]);

/* Runs init after clone3, with the caller's memory and descriptors; closes all descriptors but those of `l`. */
_Noreturn void jail_init_process(struct jail_launch *l);
/* Runs in the command's process, in the jail, without capabilities: sends `ready` and executes the command, or reports the
 * failure and exits. It may share memory with init, whose environment it sets. -1: no ruleset, no terminal. */
_Noreturn void jail_become_command(const struct jail_launch *l, struct jail_ready *ready, int ruleset, int terminal);
/* Drops all capabilities of this process and its children, now and after any exec. */
MUST_CHECK bool jail_drop_privileges(struct error *err);

/* Closes every descriptor from 3 on except these, at most JAIL_LAUNCH_DESCRIPTORS_MAX. */
void jail_close_others(const int *kept, size_t n);

enum { JAIL_EXIT_REFUSED = 125, JAIL_EXIT_CANNOT_RUN = 126, JAIL_EXIT_NOT_FOUND = 127, JAIL_EXIT_LIMIT = 124 };

#endif
