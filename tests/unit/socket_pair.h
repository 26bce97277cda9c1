/* socket_pair.h - both ends of a connection that keeps datagrams apart, for tests of messages; set up and torn down for each test. */
#ifndef FILTERD_TESTS_UNIT_SOCKET_PAIR_H
#define FILTERD_TESTS_UNIT_SOCKET_PAIR_H

#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static int set_up(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends);
}

static int tear_down(void **state)
{
    (void)state;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return 0;
}

#endif
