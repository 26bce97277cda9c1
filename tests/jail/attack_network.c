/* attack_network.c - ways to somebody else. No address here is anybody's: 192.0.2.0/24 and 2001:db8::/32
 * are for documentation. */
#include "attack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool reaches(const char *address, unsigned short port, int kind)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, kind, 0);

    (void)inet_pton(AF_INET, address, &to.sin_addr);
    bool is_sent = kind == SOCK_STREAM
                       ? connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0
                       : sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) == 1;
    int reason = errno;
    (void)close(fd);
    errno = reason;
    return is_sent;
}

static enum verdict raw_connect(const char *argument)
{
    (void)argument;
    return both(judge(reaches("192.0.2.1", 443, SOCK_STREAM), "connect 192.0.2.1:443"),
                judge(reaches("169.254.169.254", 80, SOCK_STREAM), "connect 169.254.169.254:80"));
}

static enum verdict names(const char *argument)
{
    (void)argument;
    return judge(reaches("192.0.2.53", 53, SOCK_DGRAM), "a question to a name server");
}

static enum verdict other_protocols(const char *argument)
{
    static const struct {
        const char *name;
        int family, kind, protocol;
    } sockets[] = {{"raw", AF_INET, SOCK_RAW, IPPROTO_ICMP}, {"ping", AF_INET, SOCK_DGRAM, IPPROTO_ICMP},
                   {"raw TCP", AF_INET, SOCK_RAW, IPPROTO_TCP}, {"SCTP", AF_INET, SOCK_STREAM, 132},
                   {"MPTCP", AF_INET, SOCK_STREAM, 262}, {"UDP-Lite", AF_INET, SOCK_DGRAM, 136},
                   {"packet", AF_PACKET, SOCK_RAW, 0}, {"XDP", 44, SOCK_RAW, 0}, {"TIPC", AF_TIPC, SOCK_STREAM, 0},
                   {"Bluetooth", AF_BLUETOOTH, SOCK_RAW, 0}, {"ALG", AF_ALG, SOCK_SEQPACKET, 0},
                   {"audit", AF_NETLINK, SOCK_RAW, 9}, {"generic netlink", AF_NETLINK, SOCK_RAW, 16}};
    enum verdict v = judge(reaches("192.0.2.1", 443, SOCK_DGRAM), "UDP to 192.0.2.1:443");

    (void)argument;
    for (size_t i = 0; i < COUNT(sockets); i++) {
        v = both(v, judge(socket(sockets[i].family, sockets[i].kind, sockets[i].protocol) >= 0, sockets[i].name));
    }
    return v;
}

static enum verdict vsock(const char *argument)
{
    (void)argument;
    return both(judge(socket(AF_VSOCK, SOCK_STREAM, 0) >= 0, "AF_VSOCK stream"),
                judge(socket(AF_VSOCK, SOCK_DGRAM, 0) >= 0, "AF_VSOCK datagram"));
}

/* argument: a Unix socket that somebody listens on, in a folder that is shown; '@' begins an abstract one. */
static enum verdict unix_socket(const char *argument)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *name = argument == NULL ? "/src/socket" : argument;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", name);
    socklen_t size = (socklen_t)(sizeof(sa_family_t) + strlen(name));
    to.sun_path[0] = name[0] == '@' ? '\0' : name[0];
    return both(judge(fd >= 0, "AF_UNIX socket"), judge(connect(fd, (struct sockaddr *)&to, size) == 0, name));
}

/* Takes a descriptor that somebody passes over it. */
static bool is_passed_one(int fd)
{
    char byte, control[CMSG_SPACE(8 * sizeof(int))];
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};

    return recvmsg(fd, &message, MSG_DONTWAIT) >= 0 && CMSG_FIRSTHDR(&message) != NULL &&
           CMSG_FIRSTHDR(&message)->cmsg_type == SCM_RIGHTS;
}

/* argument: a Unix socket where who connects is passed a connection; standard input is one, too, with one in it. */
static enum verdict passed_descriptor(const char *argument)
{
    static const char *const names[] = {"standard input", "standard output", "standard error"};
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int pair[2] = {-1, -1}, one = socket(AF_UNIX, SOCK_STREAM, 0);
    enum verdict v = HELD;

    for (int fd = 0; fd < (int)COUNT(names); fd++) {
        v = both(v, judge(is_passed_one(fd), names[fd]));
    }
    (void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", argument == NULL ? "/src/socket" : argument);
    if (one < 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
        one = pair[0]; /* allowed, and it leads nowhere else */
    }
    (void)(connect(one, (struct sockaddr *)&to, sizeof(to)) == 0 && usleep(300000) == 0);
    return both(v, judge(is_passed_one(one), to.sun_path));
}

/* argument: a port that somebody listens on at the machine's loopback. */
static enum verdict loopback(const char *argument)
{
    unsigned short port = (unsigned short)(argument == NULL ? 80 : atoi(argument));

    return judge(reaches("127.0.0.1", port, SOCK_STREAM), "the machine's loopback");
}

/* argument: a port. Listens on it for three seconds; whoever started the jail tries to reach it. */
static enum verdict listening(const char *argument)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argument == NULL ? "0" : argument))};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(fd, (struct sockaddr *)&any, sizeof(any)) != 0 || listen(fd, 8) != 0) {
        return NOT_TRIED;
    }
    (void)printf("listening\n");
    (void)fflush(stdout);
    (void)sleep(3);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    return judge(accept(fd, NULL, NULL) >= 0, "a connection from outside");
}

static enum verdict version_six(const char *argument)
{
    static const char *const addresses[] = {"2001:db8::1", "fe80::1", "::ffff:192.0.2.1", "::1"};
    enum verdict v = HELD;
    unsigned short port = (unsigned short)(argument == NULL ? 80 : atoi(argument));

    for (size_t i = 0; i < COUNT(addresses); i++) {
        struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
        int fd = socket(AF_INET6, SOCK_STREAM, 0);
        (void)inet_pton(AF_INET6, addresses[i], &to.sin6_addr);
        v = both(v, judge(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0, addresses[i]));
        (void)close(fd);
    }
    return v;
}

const struct attack attacks_network[] = {
    {"C1", raw_connect},  {"C2", names},     {"C3", other_protocols}, {"C4", vsock},
    {"C5", unix_socket},  {"C6", passed_descriptor}, {"C15", loopback}, {"C22", version_six},    {"C23", listening}, {NULL, NULL},
};
