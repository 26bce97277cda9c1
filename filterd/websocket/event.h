/* event.h - one message of a WebSocket: an event of the Responses or the Realtime API.
 *
 * Pure. An event is a JSON object whose members have no escaped or repeated names, and whose type has no escape, so that every
 * reader takes it for the same event. */
#ifndef FILTERD_WEBSOCKET_EVENT_H
#define FILTERD_WEBSOCKET_EVENT_H

#include "base/error.h"
#include "base/span.h"

enum event_api { EVENT_RESPONSES, EVENT_REALTIME };

/* Of an event of the upstream. */
enum event_use {
    EVENT_UNKNOWN, /* it cannot be read */
    EVENT_DROPPED, /* a piece of a text that another event repeats whole, which is judged */
    EVENT_ALONE,   /* no part of a response: judged by itself */
    EVENT_BEGINS,  /* the first event of a response */
    EVENT_GOES_ON,
    EVENT_ENDS,    /* the last one */
};

struct event {
    enum event_use use;
    struct span type;
    struct span response; /* the id of its response; empty: it names none */
};

/* Both: MALFORMED when it cannot be read; spans borrow from `json`.
 * The type of a client's event, whose response has no id yet. */
MUST_CHECK bool event_type(struct span json, struct span *type, struct error *err);
/* An event of the upstream. */
MUST_CHECK bool event_read(enum event_api api, struct span json, struct event *out, struct error *err);

#endif
