/* websocket.h - WebSockets of the Responses and the Realtime API: a session joins a client's connection to its upstream's.
 *
 *   run      libmicrohttpd's thread: checks the handshake, suspends the request, and has a reactor connect to the upstream
 *   dial     the upstream's handshake; only when the upstream has agreed does the client get its 101
 *   session  both connections, in the reactor's thread: frames (frames.h), events (event.h), time
 *   answers  events of the upstream: each belongs to a turn (turn.h), which judges, records and delivers it
 *   sent     events of the client: judged by the policy's section `request`, then sent to the upstream
 *
 * Messages are text; a binary one ends the session. Nothing passes that is no event. A session is counted among the proxied
 * exchanges, and so is each of its turns. It ends with code 1001 when the service stops, 1008 when its agent is stopped, and
 * 1011 when the upstream breaks off. */
#ifndef FILTERD_WEBSOCKET_WEBSOCKET_H
#define FILTERD_WEBSOCKET_WEBSOCKET_H

#include <microhttpd.h>

#include "service/request.h"

/* Of a request whose proxy has the use ROUTE_UPGRADED. */
enum step websocket_run(struct request *r);
/* The 101 of a request whose reply has that status. NULL when memory is out. */
struct MHD_Response *websocket_response(struct request *r);
/* Call it when the request has ended. Accepts NULL. */
void websocket_leave(struct websocket *w);

#endif
