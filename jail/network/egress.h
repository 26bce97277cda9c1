/* egress.h - a jail's filterd-egress, as the launcher's child process: started before the jail, ended after it.
 *
 * It runs outside the jail and inherits only the launcher's environment and standard error; started by root it
 * switches to a dynamic user. When it exits, the jail has no network, because it held the only copies of the sockets. One
 * thread. */
#ifndef FILTERD_JAIL_NETWORK_EGRESS_H
#define FILTERD_JAIL_NETWORK_EGRESS_H

#include <sys/types.h>

#include "jail/network/channel.h"
#include "jail/policy/policy.h"

struct jail_egress {
    int channel; /* -1: none, or ended */
    int cut;     /* an eventfd: a write of eight bytes, by any process, cuts the network; -1: none */
    pid_t pid;   /* 0: none to wait for */
    char authority[JAIL_CHANNEL_TEXT]; /* PEM, for the jail to trust; empty: no rule intercepts TLS */
};

/* Appends the program's output about the policy's rules: for "--describe", or for "--explain" and a host. */
MUST_CHECK bool jail_egress_ask(const struct jail_policy *p, const char *option, const char *value, struct buf *out,
                                 struct error *err);

/* Sets "no egress proxy", which the other functions accept. */
void jail_egress_init(struct jail_egress *w);
/* Starts the program from the folder of this one. `run` is the jail's name in the record; `user` its user, 0: unchanged. */
MUST_CHECK bool jail_egress_start(struct jail_egress *w, const struct jail_policy *p, const char *run, uid_t user,
                                   struct error *err);
/* Waits until it is ready; fails when `cancel` becomes readable. */
MUST_CHECK bool jail_egress_await(struct jail_egress *w, int cancel, struct error *err);
/* Takes the next event without blocking; false when there is none. When the proxy has ended, `channel` is closed and -1. */
bool jail_egress_take(struct jail_egress *w, struct jail_channel_message *event);
/* Records a socket that the jail was denied. */
void jail_egress_note(const struct jail_egress *w, const char *text);
/* Makes it exit and close its connections at once. Neither allocates nor blocks. */
void jail_egress_stop(const struct jail_egress *w);
/* Makes it exit, waits, and kills it after 5 s. `event` gets the last events. */
void jail_egress_end(struct jail_egress *w, void (*event)(void *context, const struct jail_channel_message *m),
                      void *context);

#endif
