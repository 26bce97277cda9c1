/* handshake.h - the opening handshake of WebSocket, as server and as client (RFC 6455, section 4).
 *
 * Pure: texts in, texts out. Extensions are never offered or accepted. */
#ifndef FILTERD_WEBSOCKET_HANDSHAKE_H
#define FILTERD_WEBSOCKET_HANDSHAKE_H

#include "base/buf.h"

enum {
    HANDSHAKE_KEY = 24,    /* characters of a key */
    HANDSHAKE_ACCEPT = 28, /* and of the answer to it */
    HANDSHAKE_HEAD_MAX = 64 * 1024,
    HANDSHAKE_PROTOCOL_MAX = 64, /* of the chosen subprotocol */
};

/* Whether a client asks for WebSocket, version 13, with a key of its form. */
bool handshake_is_request(struct span upgrade, struct span connection, struct span version, struct span key);
/* The answer to a key, NUL-terminated. */
void handshake_accept(struct span key, char out[HANDSHAKE_ACCEPT + 1]);
/* A new key, NUL-terminated. */
void handshake_make_key(char out[HANDSHAKE_KEY + 1]);

struct handshake_request {
    struct span target, host;
    const char *const *headers; /* "Name: value" each; those of the handshake itself are left out */
    size_t n_headers;
    const char *key;
    struct span subprotocols; /* empty: none */
};
MUST_CHECK bool handshake_write_request(const struct handshake_request *q, struct buf *out, struct error *err);

struct handshake_answer {
    unsigned status; /* 101: the connection is a WebSocket */
    size_t len;      /* of the head; what follows are frames */
    char subprotocol[HANDSHAKE_PROTOCOL_MAX + 1];
};
/* MORE: the head is not complete. BROKEN: it is no answer to this request: not HTTP, too long, another accept, an extension, a
 * subprotocol that was not offered. A status other than 101 is OK. */
enum handshake_state { HANDSHAKE_BROKEN, HANDSHAKE_MORE, HANDSHAKE_OK };
enum handshake_state handshake_read_answer(struct span bytes, const char *accept, struct span subprotocols,
                                           struct handshake_answer *out);

#endif
