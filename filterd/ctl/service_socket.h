/* service_socket.h - the default socket of a running filterd: the first of its default paths that accepts a connection. */
#ifndef FILTERD_CTL_SERVICE_SOCKET_H
#define FILTERD_CTL_SERVICE_SOCKET_H

#include <limits.h>

#include "base/error.h"

/* `name` is the socket's file, as operators.sock; `type` is SOCK_STREAM or SOCK_SEQPACKET; `option` is the one that names
 * another place. Fails with every path that was tried, and why it is none. */
MUST_CHECK bool service_socket_find(const char *name, int type, const char *option, char path[PATH_MAX],
                                    struct error *err);

#endif
