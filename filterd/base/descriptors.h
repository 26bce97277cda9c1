/* descriptors.h - one datagram over a Unix socket, with file descriptors beside it (SCM_RIGHTS).
 *
 * For sockets of SOCK_SEQPACKET or SOCK_DGRAM. Both functions repeat a call that a signal interrupted and
 * raise no SIGPIPE. Sending duplicates the descriptors: the caller's stay open. */
#ifndef FILTERD_BASE_DESCRIPTORS_H
#define FILTERD_BASE_DESCRIPTORS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum { DESCRIPTORS_MAX = 253 }; /* the kernel's SCM_MAX_FD */

/* False with errno. `flags` as of sendmsg: MSG_DONTWAIT fails with EAGAIN where the receiver has no room. */
MUST_CHECK bool descriptors_send(int socket, const void *bytes, size_t len, const int *fds, size_t n, int flags);

/* The length of the datagram; 0 at the end of the connection; -1 with errno. `flags` as of recvmsg. At most `room`
 * descriptors, *n of them came: close-on-exec and the caller's. A datagram longer than `size`, or with more descriptors
 * than `room`, is EMSGSIZE. Whenever the result is not positive, no descriptor is left open and *n is 0. */
MUST_CHECK ssize_t descriptors_receive(int socket, void *bytes, size_t size, int *fds, size_t room, size_t *n, int flags);

void descriptors_close(const int *fds, size_t n);

#endif
