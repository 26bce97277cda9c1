/* listening.h - ends listening on a socket from which threads of libmicrohttpd accept.
 *
 * MHD_quiesce_daemon must not be used with epoll: it and the thread both remove the socket from the thread's epoll set, and the
 * second one to do so aborts the process. Instead another file takes the socket's number, in one step: the socket closes, which
 * removes it from all sets, and a thread about to accept finds a file without connections. MHD_stop_daemon closes the number. */
#ifndef FILTERD_SERVER_LISTENING_H
#define FILTERD_SERVER_LISTENING_H

#include "base/error.h"

/* A file that is never ready, to be opened while descriptors are left; the caller closes it. */
MUST_CHECK bool listening_open_quiet(int *quiet, struct error *err);
/* Closes the socket `fd`: connections are refused, those that were accepted go on. The number stays open. Any thread. */
void listening_end(int fd, int quiet);

#endif
