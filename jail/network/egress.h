/* egress.h - a jail's filterd-egress, as the launcher's child process: started before the jail, ended after it.
 *
 * It runs outside the jail and inherits the launcher's environment and standard error, nothing else; started by root it
 * switches to a dynamic user. When it exits, the jail has no network: it held the only copies of the sockets. One
 * thread. */
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

/* No egress proxy: accepted by the other functions. */
void jail_egress_init(struct jail_egress *w);
/* Starts the program, which is installed beside this one. `run` is the jail's name in the record; `user` its user, 0: unchanged. */
MUST_CHECK bool jail_egress_start(struct jail_egress *w, const struct jail_policy *p, const char *run, uid_t user,
                                   struct error *err);
/* Waits until it is ready; fails when `cancel` becomes readable. */
MUST_CHECK bool jail_egress_await(struct jail_egress *w, int cancel, struct error *err);
/* The next event, without waiting. False: none. At its end `channel` is closed and -1. */
bool jail_egress_take(struct jail_egress *w, struct jail_channel_message *event);
/* For the record: a socket that the jail was refused. */
void jail_egress_note(const struct jail_egress *w, const char *text);
/* Closes the jail's network; the jail continues. */
void jail_egress_cut(struct jail_egress *w);
/* Makes it exit: connections are closed at once. Neither allocates nor waits. */
void jail_egress_stop(const struct jail_egress *w);
/* Makes it exit and waits for that; after 5 s it is killed. `event` gets the last events. */
void jail_egress_end(struct jail_egress *w, void (*event)(void *context, const struct jail_channel_message *m),
                      void *context);

#endif
