/* server.h - listeners, one thread per connection up to a limit, and an orderly end. */
#ifndef FILTERD_JAIL_EGRESS_SERVER_H
#define FILTERD_JAIL_EGRESS_SERVER_H

#include "jail/egress/session.h"

enum { EGRESS_LISTENERS_MAX = 64 };

enum egress_listener_kind {
    EGRESS_LISTENER_PROXY,   /* for clients configured to use a proxy */
    EGRESS_LISTENER_CAPTURE, /* for captured connections to other addresses */
    EGRESS_LISTENER_NAMES,   /* DNS queries */
};

struct egress_listener {
    const char *text; /* as egress_listener_open reads it */
    int fd;
    enum egress_listener_kind kind;
};

struct egress_server {
    struct egress_service *service;
    const struct egress_listener *listeners; /* borrowed */
    size_t n_listeners;
    int stop; /* readable when the server must end: a signalfd or eventfd, borrowed */
};

/* Serves until `stop` is readable, then accepts no more connections, waits for active ones for the policy's
 * drain and cuts the rest (through the service's `cut`). All threads have ended when it returns. False when it could not
 * start. */
MUST_CHECK bool egress_server_run(const struct egress_server *server, struct error *err);

#endif
