/* turn.h - one exchange of the proxy inside a WebSocket: a response of the model, or a single event of the upstream.
 *
 * A turn is a request to the upstream like any other (proxy/proxy.h), which a session carries in place of libcurl and
 * libmicrohttpd: it has its own record, is counted, and may be blocked. Its answer is fed event by event, as the lines of
 * server-sent events or as one body, and what may be delivered comes back as events.
 *
 * All functions and callbacks run in the reactor's thread. */
#ifndef FILTERD_WEBSOCKET_TURN_H
#define FILTERD_WEBSOCKET_TURN_H

#include "proxy/proxy.h"
#include "service/request.h"
#include "upstream/reactor.h"

struct masking;
struct places;
struct turn;

struct turn_options {
    struct service *service;
    const struct listener *listener;
    const struct request_field *fields; /* of the client's handshake; borrowed until the turn is freed */
    size_t n_fields;
    struct reactor *reactor;
    unsigned caller;         /* of access_caller */
    struct masking *masking; /* of the session; the turn takes its own reference; NULL: none */
    const char *method, *path; /* the path begins with the upstream's name */
    bool is_alone;           /* the answer is one event */
    struct places *places;   /* what the events alone before it left; NULL: it goes on from none */
    struct span body;        /* empty: none */
    void *context;           /* of the callbacks */
    /* The request may go to the upstream; `body` is what goes there. */
    void (*started)(void *context, struct turn *t, struct span body);
    /* An event for the client. False: nothing more can be sent. */
    bool (*deliver)(void *context, struct span event);
    /* The answer has no end that could be delivered as an event. */
    void (*broken_off)(void *context);
    /* Something has changed: turn_pump may have work. Any thread. */
    void (*touched)(void *context);
    /* Between these two the context stays, though the turn may be freed. Any thread. */
    void (*hold)(void *context);
    void (*release)(void *context);
};

/* NULL when memory is out; `started` and `deliver` may have been called. */
struct turn *turn_new(const struct turn_options *options, struct error *err);
/* False: the turn is still with another thread; call it again after `touched`. */
MUST_CHECK bool turn_free(struct turn *t);

/* Whether the answer may be fed now. */
bool turn_may_feed(struct turn *t);
/* One event of the answer, as the upstream sent it. */
void turn_feed(struct turn *t, struct span event);
/* Nothing of the answer follows; END_WHOLE, or what the upstream did in place of its end. */
void turn_end(struct turn *t, enum proxy_end how);
/* Nothing more is delivered: the client has left. */
void turn_abandon(struct turn *t);
/* Delivers what may be delivered. Whether the answer may be fed from now on. */
bool turn_pump(struct turn *t);

bool turn_has_started(const struct turn *t);
bool turn_has_ended(const struct turn *t);
/* Whether all of it was delivered. */
bool turn_is_over(const struct turn *t);

#endif
