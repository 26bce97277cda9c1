/* server.h - the listeners: delivery, operators, and Envoy's (envoy/ext_proc.h).
 *
 * Sockets are opened before the sandbox, threads start after it. Stopping has two steps: drain
 * accepts no new connections and lets requests finish, stop closes the rest. */
#ifndef FILTERD_SERVER_SERVER_H
#define FILTERD_SERVER_SERVER_H

#include <microhttpd.h>

#include "service/listener.h"
#include "service/request.h"

struct server {
    struct service *service;
    struct listener listeners[2];
    struct ext_proc *ext_proc; /* NULL: none */
};

/* Checks addresses, hosts and origins before anything is loaded. */
MUST_CHECK bool server_check_options(const struct service_options *o, struct error *err);
/* Parses both addresses. Refuses one that other machines can reach if there is no token. */
MUST_CHECK bool server_init(struct server *s, struct service *service, struct error *err);
/* Binds them. */
MUST_CHECK bool server_open(struct server *s, struct error *err);
MUST_CHECK bool server_start(struct server *s, struct error *err);
/* Accepts no new connections; waits until no request is left, the drain timeout expires, or
 * is_hurried() is true. False when some are left: the process must then end at once. */
bool server_drain(struct server *s, bool (*is_hurried)(void));
/* Call it after server_drain, or before server_start. */
void server_stop(struct server *s);

/* The request line from libmicrohttpd. */
struct request_line {
    const char *method, *target, *version; /* the target: its path, decoded */
    bool is_malformed;                     /* the raw target was malformed */
};
/* In admit.c: finds the route and checks the head. The request either is refused with an answer or may continue. */
void request_admit(struct request *r, const struct request_line *line);
/* In answer.c: passes the answer to libmicrohttpd. */
enum MHD_Result request_send(struct request *r);

#endif
