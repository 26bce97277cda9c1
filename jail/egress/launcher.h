/* launcher.h - the launcher of the jail, at the other end of a channel (jail/network/channel.h): it passes the sockets
 * of the jail's network on, is notified of denials; when it closes, the proxy exits.
 *
 * One for a process. */
#ifndef FILTERD_JAIL_EGRESS_LAUNCHER_H
#define FILTERD_JAIL_EGRESS_LAUNCHER_H

#include "jail/egress/server.h"

enum { EGRESS_NAMES_MAX = 4 };

/* All that is listened on. */
struct egress_entrance {
    struct egress_listener listeners[EGRESS_LISTENERS_MAX];
    size_t n_listeners;
    int names[EGRESS_NAMES_MAX]; /* sockets of UDP that questions for names come by */
    size_t n_names;
    int packets; /* sees what nothing listens for; -1: none */
    char canary[EGRESS_CANARY_LONGEST + 1]; /* of the jail's honeytokens; empty: none */
};

/* Says that it could serve, with the authority to trust (may be NULL), and waits for the sockets. */
MUST_CHECK bool egress_launcher_await(int channel, const struct egress_authority *authority,
                                      struct egress_entrance *out, struct error *err);
/* Says why it will not serve. */
void egress_launcher_fail(int channel, const struct error *why);

/* Descriptors, borrowed; -1 where there is none. */
struct egress_ends {
    int channel; /* of the launcher */
    int cut;     /* an eventfd: a write ends the proxy at once */
    int signals; /* readable when it is time to end */
    int stop;    /* an eventfd, made readable at any of these ends */
};

struct egress_launcher;

/* From now on the launcher is notified of every refusal in the log. At its end, and at a cut, connections are closed;
 * at a signal they may go on for the policy's drain. NULL with err. */
struct egress_launcher *egress_launcher_watch(struct egress_service *service, const struct egress_ends *ends,
                                              struct error *err);
/* When `stop` is readable. */
void egress_launcher_join(struct egress_launcher *l);

#endif
