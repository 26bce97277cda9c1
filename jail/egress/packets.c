#include "jail/egress/packets.h"

#include <linux/if_packet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "jail/egress/account.h"

enum {
    PACKET_MAX = 256,
    LINES = 20, /* in a second */
    SECOND_MS = 1000,
    STACK = 128 * 1024,
    V4_HEAD = 20,
    V6_HEAD = 40,
    PORT_OF_NAMES = 53,
};

/* --- one packet ------------------------------------------------------------ */

static uint16_t number_at(struct span bytes, size_t at)
{
    return at + 2 > bytes.len ? 0 : (uint16_t)((unsigned)(uint8_t)bytes.ptr[at] << 8 | (uint8_t)bytes.ptr[at + 1]);
}

static bool is_taken(uint16_t port, const uint16_t *ports, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ports[i] == port) {
            return true;
        }
    }
    return port == PORT_OF_NAMES;
}

static void print_v4(struct span bytes, char text[EGRESS_ADDRESS_TEXT])
{
    struct sockaddr_in a = {.sin_family = AF_INET};

    memcpy(&a.sin_addr, bytes.ptr + 16, sizeof(a.sin_addr));
    egress_address_print((const struct sockaddr *)&a, text);
}

/* Traffic to the jail's own ::1 stays inside. */
static bool print_v6(struct span bytes, char text[EGRESS_ADDRESS_TEXT])
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6};

    memcpy(&a.sin6_addr, bytes.ptr + 24, sizeof(a.sin6_addr));
    egress_address_print((const struct sockaddr *)&a, text);
    return !IN6_IS_ADDR_LOOPBACK(&a.sin6_addr);
}

/* False: it is recorded elsewhere, or an answer of ours. */
static bool read_ports(struct span bytes, size_t head, const uint16_t *ports, size_t n_ports, struct egress_packet *out)
{
    bool is_tcp = strcmp(out->kind, "tcp") == 0;

    out->port = number_at(bytes, head + 2);
    bool is_ours = is_tcp ? is_taken(out->port, ports, n_ports) : out->port == PORT_OF_NAMES;
    return !is_ours && number_at(bytes, head) != PORT_OF_NAMES; /* an answer of ours comes from there */
}

static const char *kind_of(unsigned protocol)
{
    static const struct {
        unsigned protocol;
        const char *kind;
    } kinds[] = {{IPPROTO_TCP, "tcp"}, {IPPROTO_UDP, "udp"}, {IPPROTO_ICMP, "icmp"}, {IPPROTO_ICMPV6, "icmp"}};

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].protocol == protocol) {
            return kinds[i].kind;
        }
    }
    return "ip";
}

bool egress_packet_read(struct span bytes, const uint16_t *ports, size_t n_ports, struct egress_packet *out)
{
    unsigned version = bytes.len == 0 ? 0 : (uint8_t)bytes.ptr[0] >> 4;
    size_t shortest = version == 4 ? V4_HEAD : V6_HEAD;

    if ((version != 4 && version != 6) || bytes.len < shortest) {
        return false;
    }
    size_t head = version == 4 ? (size_t)((uint8_t)bytes.ptr[0] & 0xf) * 4 : V6_HEAD;
    if (head < shortest || (version == 6 && !print_v6(bytes, out->to))) {
        return false;
    }
    if (version == 4) {
        print_v4(bytes, out->to);
    }
    out->kind = kind_of((uint8_t)bytes.ptr[version == 4 ? 9 : 6]);
    out->port = 0;
    bool has_ports = strcmp(out->kind, "tcp") == 0 || strcmp(out->kind, "udp") == 0;
    return !has_ports || read_ports(bytes, head, ports, n_ports, out);
}

/* --- the thread ------------------------------------------------------------ */

struct egress_packets {
    struct egress_log *log;
    int fd, stop;
    const uint16_t *ports;
    size_t n_ports;
    struct egress_account rate;
    int64_t unsaid;
    pthread_t thread;
};

static void begin(struct egress_attempt *a, const char *kind)
{
    *a = (struct egress_attempt){.kind = kind, .time_ns = clock_utc_ns(), .started_ns = clock_monotonic_ns()};
}

static void record(struct egress_packets *p, const struct egress_packet *packet)
{
    struct egress_attempt a;
    bool is_tcp = strcmp(packet->kind, "tcp") == 0;

    begin(&a, packet->kind);
    a.port = packet->port;
    a.reason = is_tcp ? "port" : "protocol";
    (void)snprintf(a.original, sizeof(a.original), "%s", packet->to);
    (void)snprintf(a.detail, sizeof(a.detail), "%s",
                   is_tcp ? "this port is not let through" : "only TCP and questions for names are let through");
    egress_log_write(p->log, &a);
}

/* Packets that the kernel dropped for lack of space count, too. */
static void say_unsaid(struct egress_packets *p)
{
    struct tpacket_stats stats = {0};
    socklen_t len = sizeof(stats);
    struct egress_attempt a;

    if (getsockopt(p->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) == 0) {
        p->unsaid += stats.tp_drops;
    }
    if (p->unsaid > 0) {
        begin(&a, "ip");
        a.reason = "rate";
        (void)snprintf(a.detail, sizeof(a.detail), "%lld more packets without a listener", (long long)p->unsaid);
        egress_log_write(p->log, &a);
        p->unsaid = 0;
    }
}

static void take(struct egress_packets *p)
{
    char bytes[PACKET_MAX];
    struct egress_packet packet;
    ssize_t n = recv(p->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (n <= 0 || !egress_packet_read(span_of(bytes, (size_t)n), p->ports, p->n_ports, &packet)) {
        return;
    }
    if (egress_account_take(&p->rate, clock_monotonic_ns())) {
        record(p, &packet);
    } else {
        p->unsaid++;
    }
}

static void *run(void *context)
{
    struct egress_packets *p = context;
    struct pollfd fds[] = {{.fd = p->stop, .events = POLLIN}, {.fd = p->fd, .events = POLLIN}};
    uint64_t said_ns = clock_monotonic_ns();

    while (fds[0].revents == 0) {
        if (poll(fds, COUNT(fds), p->unsaid > 0 ? SECOND_MS : -1) > 0 && fds[1].revents != 0) {
            take(p);
        }
        if (p->unsaid > 0 && clock_monotonic_ns() - said_ns >= (uint64_t)SECOND_MS * 1000000) {
            say_unsaid(p);
            said_ns = clock_monotonic_ns();
        }
    }
    say_unsaid(p);
    return NULL;
}

struct egress_packets *egress_packets_start(struct egress_log *log, int fd, int stop, const uint16_t *ports,
                                            size_t n_ports, struct error *err)
{
    static const struct egress_rate rate = {LINES, SECOND_MS};
    struct egress_packets *p = calloc(1, sizeof(*p));
    pthread_attr_t attributes;

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "packets: no memory");
        return NULL;
    }
    *p = (struct egress_packets){.log = log, .fd = fd, .stop = stop, .ports = ports, .n_ports = n_ports};
    egress_account_init_rate(&p->rate, &rate, clock_monotonic_ns());
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK);
    int code = pthread_create(&p->thread, &attributes, run, p);
    (void)pthread_attr_destroy(&attributes);
    if (code != 0) {
        error_set(err, ERROR_SYSTEM, "packets: no thread");
        egress_account_deinit(&p->rate);
        free(p);
        return NULL;
    }
    return p;
}

void egress_packets_join(struct egress_packets *p)
{
    if (p != NULL) {
        (void)pthread_join(p->thread, NULL);
        egress_account_deinit(&p->rate);
        free(p);
    }
}
