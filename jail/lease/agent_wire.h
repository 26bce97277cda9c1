/* agent_wire.h - the protocol between a jail's launcher and filterd: registration, lease, kill.
 *
 * A Unix socket of SOCK_SEQPACKET; each datagram is one struct agent_message. The jail's launcher
 * sends HELLO with descriptors of its jail's control groups, so that filterd can kill the jail
 * without opening files and without another process. filterd answers WELCOME and then sends LEASE
 * four times in each lease; a launcher that receives nothing for a lease, or sees the connection close,
 * ends the jail. filterd ends a jail whose launcher is gone before its init. Both sides run
 * on one machine and from one build: fields have the machine's byte order, and `version` must be equal. */
#ifndef FILTERD_JAIL_LEASE_AGENT_WIRE_H
#define FILTERD_JAIL_LEASE_AGENT_WIRE_H

#include "jail/kill/kill.h"

enum { AGENT_WIRE_VERSION = 1, AGENT_WIRE_NAME = 257, AGENT_WIRE_WORD = 24, AGENT_WIRE_TEXT = 200 };

enum agent_message_kind {
    WIRE_HELLO = 1, /* to filterd: agent, tenant, jail, lease_ms, handles and their descriptors. With lease_ms 0 and no
                       launcher: processes outside a jail, which survive the end of the connection */
    WIRE_WELCOME,   /* to the jail: it is registered */
    WIRE_REFUSED,   /* to the jail: text says why; the connection closes */
    WIRE_LEASE,     /* to the jail: filterd is alive */
    WIRE_VIOLATION, /* to filterd: word is a kind of violation, text has details */
    WIRE_CUT,       /* to the jail: close the egress proxy */
    WIRE_KILLED,    /* to the jail: filterd is killing it; text says why */
    WIRE_GOODBYE,   /* to filterd: the jail ended in order */
    WIRE_VICTIM,    /* between filterd and its helper: a process for the self-test of the kill */
    WIRE_HOOK,      /* to the helper: end an agent by hooks; text says why */
    WIRE_HOOKED,    /* from the helper: word and text are a hook's outcome */
};

/* Descriptors of a HELLO, in this order; only those whose bit is set are sent. */
enum agent_handle {
    AGENT_HANDLE_INIT, /* pidfd of the jail's init */
    AGENT_HANDLE_KILL,
    AGENT_HANDLE_EVENTS,
    AGENT_HANDLE_FREEZE,
    AGENT_HANDLE_FREEZER,
    AGENT_HANDLE_PROCS,
    AGENT_HANDLE_PIDS_MAX,
    AGENT_HANDLE_PIDS_CURRENT,
    AGENT_HANDLE_QUOTA,
    AGENT_HANDLE_LAUNCHER, /* pidfd of the launcher */
    AGENT_HANDLE_CUT,      /* eight bytes written here (an eventfd's 1) close the egress proxy */
    AGENT_HANDLES,
    AGENT_HANDLE_UNIFIED_QUOTA = AGENT_HANDLES /* a bit without a descriptor: the quota is cpu.max */
};

struct agent_message {
    uint32_t version, kind;
    uint32_t lease_ms, handles;
    char agent[AGENT_WIRE_NAME], tenant[AGENT_WIRE_NAME], jail[AGENT_WIRE_NAME]; /* NUL-terminated */
    char word[AGENT_WIRE_WORD], text[AGENT_WIRE_TEXT];                          /* likewise */
};

/* All -1, then set by index of enum agent_handle. */
struct agent_handles {
    int fds[AGENT_HANDLES];
    bool is_unified_quota;
};
void agent_handles_init(struct agent_handles *h);
void agent_handles_close(struct agent_handles *h);
/* Borrows a target's descriptors. */
void agent_handles_of(const struct jail_kill_target *t, struct agent_handles *h);
/* Moves the descriptors to the target; they are then -1 here. */
void agent_handles_take(struct agent_handles *h, struct jail_kill_target *t);
/* True when every descriptor is of the expected type: a pidfd, or a file of a control group. */
bool agent_handles_are_right(const struct agent_handles *h);

void agent_message_init(struct agent_message *m, enum agent_message_kind kind);
/* Sends one datagram without blocking, with the descriptors of `h`, which may be NULL. */
MUST_CHECK bool agent_message_send(int fd, struct agent_message *m, const struct agent_handles *h);

enum agent_received { AGENT_RECEIVED, AGENT_NOTHING, AGENT_CLOSED, AGENT_BROKEN };
/* Does not block. BROKEN: not a message; its descriptors were closed. `h` may be NULL. */
enum agent_received agent_message_receive(int fd, struct agent_message *m, struct agent_handles *h);

/* A connection to filterd's socket. -1 with err. */
int agent_wire_connect(const char *path, struct error *err);

#endif
