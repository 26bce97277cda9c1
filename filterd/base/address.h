/* address.h - addresses to listen on: "127.0.0.1:8470", "[::1]:8470", "unix:/path", "none"; "localhost:8470" and "8470" mean
 * the first.
 *
 * Other names are errors, because the address must not depend on a resolver. */
#ifndef FILTERD_BASE_ADDRESS_H
#define FILTERD_BASE_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"
#include "base/span.h"

enum address_kind { ADDRESS_NONE, ADDRESS_TCP, ADDRESS_UNIX };

struct address {
    enum address_kind kind;
    socklen_t len;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
    } socket;
};

enum { ADDRESS_TEXT = 160 };

/* An error repeats the text. */
MUST_CHECK bool address_parse(const char *text, struct address *out, struct error *err);
/* Loopback or a Unix socket: not reachable from other machines. */
bool address_is_local(const struct address *a);
void address_text(const struct address *a, char text[ADDRESS_TEXT]);

/* Binds and listens; the caller owns *fd. *a becomes the actual address (for port 0, with the
 * chosen port). A Unix socket gets `mode`; an existing one on which no process listens is replaced. */
MUST_CHECK bool address_listen(struct address *a, unsigned mode, int *fd, struct error *err);
/* The same for a Unix socket of SOCK_SEQPACKET. */
MUST_CHECK bool address_listen_packets(struct address *a, unsigned mode, int *fd, struct error *err);

#endif
