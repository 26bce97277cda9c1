/* descriptors.h - sends and receives one datagram with file descriptors over a Unix socket (SCM_RIGHTS).
 *
 * For sockets of SOCK_SEQPACKET or SOCK_DGRAM. Both functions repeat a call that a signal interrupted and
 * raise no SIGPIPE. Sending duplicates the descriptors: the caller's remain open. */
#ifndef FILTERD_BASE_DESCRIPTORS_H
#define FILTERD_BASE_DESCRIPTORS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum { DESCRIPTORS_MAX = 253 }; /* the kernel's SCM_MAX_FD */

/* False with errno. `flags` of sendmsg: with MSG_DONTWAIT it fails with EAGAIN when the receiver's queue is full. */
MUST_CHECK bool descriptors_send(int socket, const void *bytes, size_t len, const int *fds, size_t n, int flags);

/* Returns the length of the datagram; 0 at the end of the connection; -1 with errno. `flags` of recvmsg. Stores *n
 * descriptors, at most `room`, which are close-on-exec and owned by the caller. A datagram longer than `size`, or with more
 * descriptors than `room`, is EMSGSIZE. If the result is not positive, no descriptor is left open and *n is 0. */
MUST_CHECK ssize_t descriptors_receive(int socket, void *bytes, size_t size, int *fds, size_t room, size_t *n, int flags);

void descriptors_close(const int *fds, size_t n);

/* A non-blocking, close-on-exec SOCK_SEQPACKET connection to filterd's Unix socket at `path`; the caller closes it. -1 with err. */
int descriptors_connect(const char *path, struct error *err);

#endif
