/* listener.h - the sockets that the jail's requests come in by: made here, or passed on by whoever made the jail.
 *
 * Loopback and Unix sockets only: whoever reaches one leaves by the jail's rights and with its credentials. */
#ifndef FILTERD_JAIL_EGRESS_LISTENER_H
#define FILTERD_JAIL_EGRESS_LISTENER_H

#include "base/error.h"

/* "127.0.0.1:0", "[::1]:0", "unix:/path" (mode 0600) or "fd:3", of a listener of TCP or Unix. The caller's, non-blocking.
 * Says on the log where it listens. */
MUST_CHECK bool egress_listener_open(const char *text, int *fd, struct error *err);
/* The same for datagrams: "127.0.0.1:0", "[::1]:0" or "fd:3", of a UDP socket. */
MUST_CHECK bool egress_datagrams_open(const char *text, int *fd, struct error *err);
/* Closes it and takes the file of a Unix socket away. */
void egress_listener_close(const char *text, int fd);

#endif
