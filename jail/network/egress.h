/* egress.h - the filterd-egress of one jail, as the launcher holds it: started before the jail, ended after it.
 *
 * It runs outside, with the launcher's environment and standard error and nothing else of it; started by root it becomes
 * a user that exists for a while only. Its end takes the jail's network with it: the sockets were its alone. One thread,
 * whose child it is. */
#ifndef FILTERD_JAIL_NETWORK_EGRESS_H
#define FILTERD_JAIL_NETWORK_EGRESS_H

#include <sys/types.h>

#include "jail/network/channel.h"
#include "jail/policy/policy.h"

struct jail_egress {
    int channel; /* -1: there is none, or it has ended */
    int cut;     /* an eventfd: a write of eight bytes, by any process, cuts the network; -1: none */
    pid_t pid;   /* 0: none to wait for */
    char authority[JAIL_CHANNEL_TEXT]; /* PEM, for the jail to trust; empty: no rule opens TLS */
};

/* Appends what the program prints about the policy's rules: "--describe", or "--explain" and a host. */
MUST_CHECK bool jail_egress_ask(const struct jail_policy *p, const char *option, const char *value, struct buf *out,
                                 struct error *err);

/* What an absent egress proxy looks like; the others accept it. */
void jail_egress_init(struct jail_egress *w);
/* Starts the program that stands beside this one. `run` names the jail in the record; `user` is who it becomes, 0: who
 * it is. */
MUST_CHECK bool jail_egress_start(struct jail_egress *w, const struct jail_policy *p, const char *run, uid_t user,
                                   struct error *err);
/* Waits until it could serve; gives up when `cancel` is readable. */
MUST_CHECK bool jail_egress_await(struct jail_egress *w, int cancel, struct error *err);
/* The next event, without waiting. False: none. At its end `channel` is closed and -1. */
bool jail_egress_take(struct jail_egress *w, struct jail_channel_message *event);
/* For the record: a socket that the jail was refused. */
void jail_egress_note(const struct jail_egress *w, const char *text);
/* No byte leaves any more; the jail goes on. */
void jail_egress_cut(struct jail_egress *w);
/* Tells it to end: connections are cut at once. Allocates nothing, waits for nothing. */
void jail_egress_stop(const struct jail_egress *w);
/* Tells it to end and waits until it has, which is soon, or it is killed. `event` gets its last ones. */
void jail_egress_end(struct jail_egress *w, void (*event)(void *context, const struct jail_channel_message *m),
                      void *context);

#endif
