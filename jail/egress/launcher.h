/* launcher.h - the channel to the jail's launcher (jail/network/channel.h), which passes the sockets of the jail's
 * network and is notified of denials; when it closes, the proxy exits.
 *
 * One per process. */
#ifndef FILTERD_JAIL_EGRESS_LAUNCHER_H
#define FILTERD_JAIL_EGRESS_LAUNCHER_H

#include "jail/egress/server.h"

enum { EGRESS_NAMES_MAX = 4 };

/* All listening sockets. */
struct egress_entrance {
    struct egress_listener listeners[EGRESS_LISTENERS_MAX];
    size_t n_listeners;
    int names[EGRESS_NAMES_MAX]; /* UDP sockets for DNS queries */
    size_t n_names;
    int packets; /* receives packets without a listener; -1: none */
    char canary[EGRESS_CANARY_LONGEST + 1]; /* of the jail's honeytokens; empty: none */
};

/* Sends READY, with the authority to trust (may be NULL), and waits for the sockets. */
MUST_CHECK bool egress_launcher_await(int channel, const struct egress_authority *authority,
                                      struct egress_entrance *out, struct error *err);
/* Sends the reason why the proxy cannot serve. */
void egress_launcher_fail(int channel, const struct error *why);

/* Descriptors, borrowed; -1: none. */
struct egress_ends {
    int channel; /* of the launcher */
    int cut;     /* an eventfd: a write ends the proxy at once */
    int signals; /* readable when the proxy must end */
    int stop;    /* an eventfd, made readable by any of these */
};

struct egress_launcher;

/* Notifies the launcher of every refusal in the log from now on. Closes connections when the launcher ends and at a cut;
 * after a signal they may continue for the policy's drain. NULL with err. */
struct egress_launcher *egress_launcher_watch(struct egress_service *service, const struct egress_ends *ends,
                                              struct error *err);
/* Call it when `stop` is readable. */
void egress_launcher_join(struct egress_launcher *l);

#endif
