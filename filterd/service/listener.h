/* listener.h - one socket that the service listens on: delivery's or the operators'.
 *
 * The server opens, starts and stops it (server.h); a request borrows it for as long as it lives. */
#ifndef FILTERD_SERVICE_LISTENER_H
#define FILTERD_SERVICE_LISTENER_H

#include "base/address.h"
#include "http/connections.h"

struct service;

enum listener_kind { LISTENER_DELIVERY = 1, LISTENER_OPERATORS = 2 }; /* bits */

struct listener {
    enum listener_kind kind;
    struct service *service;
    struct address address;
    int fd;    /* -1: closed */
    int quiet; /* takes its place when listening ends (server/listening.h); -1: none */
    struct MHD_Daemon *daemon;
    struct connections connections;
};

#endif
