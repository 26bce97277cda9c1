/* server.h - a witness over HTTP (C2SP tlog-witness): POST /add-checkpoint, and nothing else.
 *
 * One thread of libmicrohttpd's serves all connections. There is no TLS: messages are signed and not secret. */
#ifndef FILTERD_WITNESS_SERVER_H
#define FILTERD_WITNESS_SERVER_H

#include "base/address.h"
#include "witness/cosign.h"

struct witness_server;

/* Listens; *address becomes the one chosen. NULL on failure. */
struct witness_server *witness_server_start(struct witness *w, struct address *address, struct error *err);
/* Waits for the requests that are being answered. */
void witness_server_stop(struct witness_server *s);

#endif
