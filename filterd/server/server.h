/* server.h - the two listeners: delivery and operators.
 *
 * Sockets are opened before the sandbox, threads start after it. Stopping has two steps: quiesce
 * takes no new connections and lets requests finish, stop closes what is left. */
#ifndef FILTERD_SERVER_SERVER_H
#define FILTERD_SERVER_SERVER_H

#include <microhttpd.h>

#include "service/listener.h"
#include "service/request.h"

struct server {
    struct service *service;
    struct listener listeners[2];
};

/* Checks addresses, hosts and origins before anything is loaded. */
MUST_CHECK bool server_check_options(const struct service_options *o, struct error *err);
/* Reads both addresses. Refuses one that other machines reach while there is no token. */
MUST_CHECK bool server_init(struct server *s, struct service *service, struct error *err);
/* Binds them. */
MUST_CHECK bool server_open(struct server *s, struct error *err);
MUST_CHECK bool server_start(struct server *s, struct error *err);
/* No new connections; waits until no request is left or the drain timeout is over, or until
 * is_hurried() says so. False when some are left: the process can only end at once then. */
bool server_drain(struct server *s, bool (*is_hurried)(void));
/* After server_drain, or before server_start. */
void server_stop(struct server *s);

/* As libmicrohttpd hands it over. */
struct request_line {
    const char *method, *target, *version; /* the target: its path, decoded */
    bool is_malformed;                     /* the target, as it was sent */
};
/* In admit.c: finds the route and checks everything that the head tells. The request is refused with an answer or may
 * go on. */
void request_admit(struct request *r, const struct request_line *line);
/* In answer.c: hands the answer to libmicrohttpd. */
enum MHD_Result request_send(struct request *r);

#endif
