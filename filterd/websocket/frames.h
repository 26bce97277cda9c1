/* frames.h - one WebSocket connection after its handshake: messages from bytes and bytes from messages (RFC 6455, by libwslay).
 *
 * Only whole messages of text in UTF-8 are taken. A binary message ends the connection with code 1003, one that is too long with
 * 1009, one without room with 1013, text that is not UTF-8 with 1007 and a broken frame with 1002. Pings are answered, pongs
 * are dropped. No extension is known, so none may be negotiated.
 *
 *   frames_new(&options, &f, &err)
 *   frames_receive(f)   whenever bytes may be there: calls `receive` until it has none or gave much, and `message` for each message
 *   frames_text(f, …)   queues a message
 *   frames_flush(f)     whenever bytes may be sent: calls `send` until nothing is queued or it takes less than it is given
 *
 * One thread at a time. The callbacks must not call frames_receive, frames_flush or frames_free. */
#ifndef FILTERD_WEBSOCKET_FRAMES_H
#define FILTERD_WEBSOCKET_FRAMES_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

enum frames_code {
    FRAMES_NORMAL = 1000,
    FRAMES_GOING_AWAY = 1001,
    FRAMES_PROTOCOL = 1002,
    FRAMES_UNSUPPORTED = 1003,
    FRAMES_NO_CODE = 1005, /* the peer gave none; never sent */
    FRAMES_ABNORMAL = 1006, /* the connection broke; never sent */
    FRAMES_POLICY = 1008,
    FRAMES_TOO_LONG = 1009,
    FRAMES_INTERNAL = 1011,
    FRAMES_TRY_LATER = 1013,
};

/* Results of `receive` and `send` besides a number of bytes. */
enum { FRAMES_AGAIN = -1, FRAMES_BROKEN = -2 };

struct frames_options {
    bool is_client;    /* this end masks what it sends */
    size_t message_max; /* bytes of a message that is received */
    void *context;     /* of the callbacks */
    /* At most `max` bytes; 0 is no result: the end of the peer's bytes is FRAMES_BROKEN. */
    ssize_t (*receive)(void *context, char *out, size_t max);
    /* has_more: the rest of the frame follows at once. */
    ssize_t (*send)(void *context, struct span bytes, bool has_more);
    /* A whole message; its bytes are valid until the callback returns. False: there is no room, the connection ends. */
    bool (*message)(void *context, struct span text);
    /* Room for what is received of a message, before it is received; given back when the message is complete. */
    bool (*hold)(void *context, uint64_t n);
    void (*release)(void *context, uint64_t n);
};

struct frames;

MUST_CHECK bool frames_new(const struct frames_options *options, struct frames **out, struct error *err);
void frames_free(struct frames *f); /* accepts NULL */

/* False: nothing more can be received. */
MUST_CHECK bool frames_receive(struct frames *f);
/* Whether it stopped, so that others have their turn, though there may be more: it is to be called again. */
bool frames_has_more(const struct frames *f);
/* False: nothing more can be sent. */
MUST_CHECK bool frames_flush(struct frames *f);

/* Each queues a frame, copied; false: there is no memory, or a close was queued before. */
MUST_CHECK bool frames_text(struct frames *f, struct span text);
MUST_CHECK bool frames_ping(struct frames *f);
/* `reason` is UTF-8 of at most 123 bytes; a code that must not be sent becomes 1000. */
void frames_close(struct frames *f, unsigned code, const char *reason);

bool frames_wants_to_send(const struct frames *f);
/* Bytes of messages that are queued. */
size_t frames_queued(const struct frames *f);
/* Whether so many frames are queued that nothing more should be received until the peer takes some: a peer that sends pings and reads no
 * answer has them queued, too. */
bool frames_is_behind(const struct frames *f);
/* The code of the peer's close: 0 before it has closed; ABNORMAL after it broke off. */
unsigned frames_peer_code(const struct frames *f);
/* Whether a close was sent. */
bool frames_is_closed(const struct frames *f);

#endif
