/* listener.h - the sockets that serve the jail: opened here, or inherited from the launcher.
 *
 * Loopback and Unix sockets only: any process that can connect acts with the jail's rights and credentials. */
#ifndef FILTERD_JAIL_EGRESS_LISTENER_H
#define FILTERD_JAIL_EGRESS_LISTENER_H

#include "base/error.h"

/* Opens "127.0.0.1:0", "[::1]:0", "unix:/path" (mode 0600) or "fd:3", a TCP or Unix listener. The caller owns *fd, which is
 * non-blocking. Logs the address. */
MUST_CHECK bool egress_listener_open(const char *text, int *fd, struct error *err);
/* The same for datagrams: "127.0.0.1:0", "[::1]:0" or "fd:3", of a UDP socket. */
MUST_CHECK bool egress_datagrams_open(const char *text, int *fd, struct error *err);
/* Closes it and removes the file of a Unix socket. */
void egress_listener_close(const char *text, int fd);

#endif
