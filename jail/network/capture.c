#include "jail/network/capture.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/span.h"
#include "jail/network/channel.h"

enum { PORT_OF_NAMES = 53, BACKLOG = 256, SEEN_BYTES = 128, SEEN_ROOM = 64 * 1024, SHIFT_OF_FIRST_BYTE = 24 };

/* --- the routes ----------------------------------------------------------- */

/* As `ip route add local 0.0.0.0/0 dev lo`, and ::/0. */
static bool add_route(int netlink, unsigned char family, unsigned loopback, struct error *err)
{
    struct {
        struct nlmsghdr head;
        struct rtmsg route;
        struct rtattr interface;
        unsigned index;
    } request = {
        .head = {.nlmsg_len = sizeof(request),
                 .nlmsg_type = RTM_NEWROUTE,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK},
        .route = {.rtm_family = family,
                  .rtm_table = RT_TABLE_LOCAL,
                  .rtm_protocol = RTPROT_STATIC,
                  .rtm_scope = RT_SCOPE_HOST,
                  .rtm_type = RTN_LOCAL},
        .interface = {.rta_len = RTA_LENGTH(sizeof(unsigned)), .rta_type = RTA_OIF},
        .index = loopback,
    };
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[256]; /* the request again */
    } answer;

    if (send(netlink, &request, sizeof(request), 0) < 0 || recv(netlink, &answer, sizeof(answer), 0) < 0) {
        return error_errno(err, "route");
    }
    errno = answer.head.nlmsg_type == NLMSG_ERROR ? -answer.error.error : EPROTO;
    return errno == 0 || error_errno(err, "route");
}

static bool add_routes(bool has_v6, unsigned loopback, struct error *err)
{
    int netlink CLEANUP(cleanup_fd) = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

    if (netlink < 0) {
        return error_errno(err, "route");
    }
    return add_route(netlink, AF_INET, loopback, err) && (!has_v6 || add_route(netlink, AF_INET6, loopback, err));
}

/* --- addresses ------------------------------------------------------------- */

/* The C library takes a machine without any address but loopback's for one that can use no other (AI_ADDRCONFIG). By
 * ioctl: some systems let unprivileged namespaces do it no other way. Addresses reserved for documentation (RFC 5737, RFC 3849). */
static bool add_address(unsigned loopback, bool is_v6, struct error *err)
{
    static const struct in6_addr documentation = {{{0x20, 0x01, 0x0d, 0xb8, [15] = 2}}};
    struct ifreq v4 = {.ifr_name = "lo:0"};
    struct {
        struct in6_addr address;
        uint32_t prefix;
        unsigned index;
    } v6 = {documentation, 128, loopback};
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(0xc0000202U)}}; /* 192.0.2.2 */
    const struct sockaddr_in mask = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_BROADCAST)}};
    int fd CLEANUP(cleanup_fd) = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (is_v6) {
        return (fd >= 0 && ioctl(fd, SIOCSIFADDR, &v6) == 0) || error_errno(err, "address");
    }
    memcpy(&v4.ifr_addr, &own, sizeof(own));
    if (fd < 0 || ioctl(fd, SIOCSIFADDR, &v4) != 0) {
        return error_errno(err, "address");
    }
    memcpy(&v4.ifr_addr, &mask, sizeof(mask));
    return ioctl(fd, SIOCSIFNETMASK, &v4) == 0 || error_errno(err, "address");
}

static bool add_addresses(bool has_v6, unsigned loopback, struct error *err)
{
    return add_address(loopback, false, err) && (!has_v6 || add_address(loopback, true, err));
}

/* --- the sockets ---------------------------------------------------------- */

struct sockets {
    int fds[JAIL_CHANNEL_SOCKETS_MAX];
    size_t n;
};

/* Of every address of one family; a listener when it is of TCP. */
static bool open_socket(struct sockets *s, int family, int type, uint16_t port, struct error *err)
{
    static const int on = 1;
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port)};
    const struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    const struct sockaddr *address = family == AF_INET ? (const struct sockaddr *)&any : (const struct sockaddr *)&any6;
    int fd CLEANUP(cleanup_fd) = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0) ||
        bind(fd, address, family == AF_INET ? sizeof(any) : sizeof(any6)) != 0 ||
        (type == SOCK_STREAM && listen(fd, BACKLOG) != 0)) {
        return error_errno(err, "port %u of %s", port, type == SOCK_STREAM ? "TCP" : "UDP");
    }
    s->fds[s->n++] = fd;
    fd = -1; /* NOLINT(clang-analyzer-deadcode.DeadStores): cleanup_fd reads it */
    return true;
}

static bool open_both(struct sockets *s, bool has_v6, int type, uint16_t port, struct error *err)
{
    return open_socket(s, AF_INET, type, port, err) && (!has_v6 || open_socket(s, AF_INET6, type, port, err));
}

/* Lets past what begins something: a SYN, a datagram, an echo request, any other protocol. Not what the jail says to
 * itself on 127.0.0.0/8, not answers. A cooked socket's bytes begin with the IP head. */
enum { V6 = 19, OF_TCP = 25, PASS = 27, DROP = 28, V6_HEAD = 40, TCP_FLAGS = 13, ECHO_4 = 8, ECHO_6 = 128, SYN = 2, ACK = 16 };
#define LOAD(size, mode, at) BPF_STMT(BPF_LD | (size) | (mode), (unsigned)(at))
#define IF(here, value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes) - (here) - 1, (no) - (here) - 1)

static bool attach_filter(int fd, struct error *err)
{
    struct sock_filter code[] = {
        LOAD(BPF_W, BPF_ABS, SKF_AD_OFF + SKF_AD_PKTTYPE),
        IF(1, PACKET_OUTGOING, DROP, 2), /* each comes by twice, out and in */
        LOAD(BPF_B, BPF_ABS, 0),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
        IF(4, 6, V6, 5),
        IF(5, 4, 6, DROP),
        LOAD(BPF_W, BPF_ABS, 16), /* IPv4: to elsewhere, and the first piece */
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, SHIFT_OF_FIRST_BYTE),
        IF(8, IN_LOOPBACKNET, DROP, 9),
        LOAD(BPF_H, BPF_ABS, 6),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, DROP - 11, 0),
        BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
        LOAD(BPF_B, BPF_ABS, 9),
        IF(13, IPPROTO_ICMP, 14, 16),
        LOAD(BPF_B, BPF_IND, 0),
        IF(15, ECHO_4, PASS, DROP),
        IF(16, IPPROTO_TCP, 17, PASS),
        LOAD(BPF_B, BPF_IND, TCP_FLAGS),
        BPF_STMT(BPF_JMP | BPF_JA, OF_TCP - 19),
        LOAD(BPF_B, BPF_ABS, 6), /* V6 */
        IF(20, IPPROTO_ICMPV6, 21, 23),
        LOAD(BPF_B, BPF_ABS, V6_HEAD),
        IF(22, ECHO_6, PASS, DROP),
        IF(23, IPPROTO_TCP, 24, PASS),
        LOAD(BPF_B, BPF_ABS, V6_HEAD + TCP_FLAGS),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SYN | ACK), /* OF_TCP */
        IF(26, SYN, PASS, DROP),
        BPF_STMT(BPF_RET | BPF_K, SEEN_BYTES), /* PASS */
        BPF_STMT(BPF_RET | BPF_K, 0),          /* DROP */
    };
    const struct sock_fprog program = {.len = COUNT(code), .filter = code};

    _Static_assert(COUNT(code) == DROP + 1, "places of jumps");
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0 ||
           error_errno(err, "packet filter");
}

/* The protocol comes with bind: with socket it would wait for an RCU period. */
static bool open_packets(struct sockets *s, unsigned loopback, struct error *err)
{
    static const int room = SEEN_ROOM;
    const struct sockaddr_ll place = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)loopback};
    int fd CLEANUP(cleanup_fd) = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)) != 0) {
        return error_errno(err, "packets");
    }
    if (!attach_filter(fd, err)) {
        return false;
    }
    if (bind(fd, (const struct sockaddr *)&place, sizeof(place)) != 0) {
        return error_errno(err, "packets");
    }
    s->fds[s->n++] = fd;
    fd = -1; /* NOLINT(clang-analyzer-deadcode.DeadStores): cleanup_fd reads it */
    return true;
}

static bool open_all(const struct jail_network *n, bool has_v6, unsigned loopback, struct sockets *s,
                     struct jail_channel_message *m, struct error *err)
{
    for (size_t i = 0; i < n->n_ports; i++) {
        if (!open_both(s, has_v6, SOCK_STREAM, n->ports[i], err)) {
            return false;
        }
    }
    m->n_streams = (unsigned)s->n;
    size_t before = s->n;
    if (n->proxy != 0 && !open_both(s, has_v6, SOCK_STREAM, n->proxy, err)) {
        return false;
    }
    m->n_proxies = (unsigned)(s->n - before);
    before = s->n;
    if (!open_both(s, has_v6, SOCK_STREAM, PORT_OF_NAMES, err)) {
        return false;
    }
    m->n_name_streams = (unsigned)(s->n - before);
    before = s->n;
    if (!open_both(s, has_v6, SOCK_DGRAM, PORT_OF_NAMES, err)) {
        return false;
    }
    m->n_names = (unsigned)(s->n - before);
    m->n_packets = 1;
    return open_packets(s, loopback, err);
}

static bool has_v6(void)
{
    int fd CLEANUP(cleanup_fd) = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    return fd >= 0;
}

_Static_assert(2 * (JAIL_PORTS_MAX + 3) + 1 <= JAIL_CHANNEL_SOCKETS_MAX, "the sockets fit into a message");

bool jail_capture(const struct jail_network *n, int channel, const char *canary, struct error *err)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_SOCKETS};
    struct sockets s = {.n = 0};
    unsigned loopback = if_nametoindex("lo");
    bool is_v6 = has_v6();

    (void)snprintf(m.text, sizeof(m.text), "%s", canary);
    bool is_sent = add_routes(is_v6, loopback, err) && add_addresses(is_v6, loopback, err) &&
                   open_all(n, is_v6, loopback, &s, &m, err) &&
                   (jail_channel_send(channel, &m, s.fds, s.n, 0) || error_errno(err, "filterd-egress"));
    for (size_t i = 0; i < s.n; i++) {
        close(s.fds[i]);
    }
    return is_sent || error_wrap(err, "network");
}
