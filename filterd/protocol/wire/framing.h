/* framing.h - splits bytes, in any chunks, into messages: events, lines, elements, a body.
 *
 * Server-sent events are parsed according to the standard (CR, LF, CRLF, several data lines, comments, a
 * BOM, no space after the colon); id, retry and comments are dropped, because a client that saw an
 * id treats later comments as events; what they say is counted, unless it only keeps the connection alive. The event's name is kept for the few APIs whose data has no type.
 *
 * A message is at most `max` bytes. */
#ifndef FILTERD_PROTOCOL_WIRE_FRAMING_H
#define FILTERD_PROTOCOL_WIRE_FRAMING_H

#include "base/buf.h"

enum framing { FRAMING_BODY, FRAMING_EVENTS, FRAMING_LINES, FRAMING_ARRAY };

/* The framing for a content type when `asked` was requested; false: an answer never has this type. An empty type means
 * `asked`. */
MUST_CHECK bool framing_of_type(enum framing asked, struct span type, enum framing *framing);

enum { EVENT_NAME_MAX = 64 };

struct framer {
    enum framing kind;
    char name[EVENT_NAME_MAX]; /* events: that of the current one; a longer name is as none */
    size_t name_len;
    struct buf line, data;
    size_t max;
    bool is_delivered;  /* data has the message of the previous call */
    bool has_data;      /* events: a data line came since the last blank one */
    bool after_return;  /* events: a line feed now belongs to the previous line */
    bool is_past_first; /* events: a BOM can no longer come */
    bool has_names;     /* events: their names reach the client */
    size_t left_out;    /* events: bytes, without white space, of lines that were dropped, and of names that are not those of a protocol */
    bool in_string, is_escaped, is_open, is_closed; /* array */
    size_t depth;
};

void framer_init(struct framer *f, enum framing kind, size_t max);
void framer_deinit(struct framer *f);

/* Consumes bytes at the front of *bytes, all of them unless a message is complete: *message is then
 * valid until the next call. MALFORMED, LIMIT, NO_MEMORY. */
MUST_CHECK bool framer_next(struct framer *f, struct span *bytes, struct span *message,
                            bool *is_complete, struct error *err);
/* Completes a message at the end of the answer: a body, a last line, an event without its blank line. */
MUST_CHECK bool framer_end(struct framer *f, struct span *message, bool *is_complete,
                           struct error *err);

#endif
