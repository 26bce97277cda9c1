#include "jail/egress/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { TRIES = 4 };

static void set_port(struct sockaddr_storage *a, uint16_t port)
{
    if (a->ss_family == AF_INET6) {
        ((struct sockaddr_in6 *)a)->sin6_port = htons(port);
    } else {
        ((struct sockaddr_in *)a)->sin_port = htons(port);
    }
}

static void add(struct egress_addresses *list, const void *address, size_t len)
{
    if (list->n < EGRESS_ADDRESSES_MAX && len <= sizeof(list->items[0])) {
        memset(&list->items[list->n], 0, sizeof(list->items[0]));
        memcpy(&list->items[list->n++], address, len);
    }
}

static bool look_up(const struct egress_host *host, const struct egress_time_limit *limit, struct egress_addresses *out,
                    struct error *err)
{
    struct addrinfo *found = NULL;

    if (!egress_look_up(host, limit, &found, err)) {
        return false;
    }
    for (const struct addrinfo *a = found; a != NULL; a = a->ai_next) {
        add(out, a->ai_addr, a->ai_addrlen);
    }
    freeaddrinfo(found);
    return out->n > 0 || error_set(err, ERROR_NOT_FOUND, "the name has no address");
}

static socklen_t length_of(const struct sockaddr_storage *a)
{
    return a->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

/* Both of one family. */
static bool is_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
    return a->ss_family == AF_INET6
               ? IN6_ARE_ADDR_EQUAL(&((const struct sockaddr_in6 *)a)->sin6_addr, &((const struct sockaddr_in6 *)b)->sin6_addr)
               : ((const struct sockaddr_in *)a)->sin_addr.s_addr == ((const struct sockaddr_in *)b)->sin_addr.s_addr;
}

/* The kernel speaks to an address of this machine from that address. No packet is sent; what cannot be asked counts as own. */
static bool is_own(const struct sockaddr_storage *a)
{
    struct sockaddr_storage from = {0};
    socklen_t len = sizeof(from);
    int fd CLEANUP(cleanup_fd) = socket(a->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return true;
    }
    return connect(fd, (const struct sockaddr *)a, length_of(a)) == 0 &&
           (getsockname(fd, (struct sockaddr *)&from, &len) != 0 || is_same(&from, a));
}

/* A public address of this machine leads to what listens here, like 127.0.0.1. */
static bool check_address(const struct egress_rule *rule, const struct sockaddr_storage *a, struct error *err)
{
    return egress_address_check((const struct sockaddr *)a, rule->may_reach, err) &&
           ((rule->may_reach & EGRESS_LOOPBACK) != 0 || !is_own(a) || error_set(err, ERROR_DENIED, "the address is this machine's own"));
}

bool egress_resolve(const struct egress_rule *rule, const struct egress_host *host, uint16_t port,
                    const struct egress_time_limit *limit, struct egress_addresses *out, char refused[EGRESS_ADDRESS_TEXT],
                    struct error *err)
{
    struct egress_addresses all = {.n = 0};
    struct error why = {0};

    refused[0] = '\0';
    for (size_t i = 0; i < rule->n_addresses; i++) {
        add(&all, &rule->addresses[i], sizeof(rule->addresses[i]));
    }
    if (all.n == 0 && !look_up(host, limit, &all, err)) {
        return false;
    }
    out->n = 0;
    for (size_t i = 0; i < all.n; i++) {
        set_port(&all.items[i], port);
        if (check_address(rule, &all.items[i], &why)) {
            out->items[out->n++] = all.items[i];
        } else {
            egress_address_print((struct sockaddr *)&all.items[i], refused);
        }
    }
    if (out->n == 0) {
        return error_set(err, ERROR_DENIED, "%s, and the rule's may_reach does not say so", why.text);
    }
    refused[0] = '\0';
    return true;
}

bool egress_resolve_via(const struct egress_via *via, const struct egress_time_limit *limit, struct egress_addresses *out,
                        char refused[EGRESS_ADDRESS_TEXT], struct error *err)
{
    const struct egress_rule any = {.may_reach = via->scheme == EGRESS_HTTPS ? (1u << EGRESS_CLASSES) - 1 : EGRESS_LOOPBACK};

    return egress_resolve(&any, &via->host, via->port, limit, out, refused, err);
}

void egress_resolve_unused(struct egress_addresses *out)
{
    struct sockaddr_in documentation = {.sin_family = AF_INET}; /* RFC 5737 */

    (void)inet_pton(AF_INET, "192.0.2.1", &documentation.sin_addr);
    out->n = 0;
    add(out, &documentation, sizeof(documentation));
}

static bool connect_one(const struct sockaddr_storage *a, int64_t connect_ms, int cut, int *out, struct error *err)
{
    static const int on = 1;
    int fd CLEANUP(cleanup_fd) = socket(a->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int problem = 0;
    socklen_t size = sizeof(problem);

    if (fd < 0) {
        return error_errno(err, "socket");
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect(fd, (const struct sockaddr *)a, length_of(a)) != 0) {
        struct pollfd p[] = {{.fd = fd, .events = POLLOUT}, {.fd = cut, .events = POLLIN}};
        if (errno != EINPROGRESS) {
            return error_errno(err, "connect");
        }
        if (poll(p, COUNT(p), (int)connect_ms) <= 0 || p[1].revents != 0) {
            return error_set(err, ERROR_LIMIT, "connect: time is up");
        }
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0 || problem != 0) {
            errno = problem != 0 ? problem : errno;
            return error_errno(err, "connect");
        }
    }
    *out = fd;
    fd = -1; /* NOLINT(clang-analyzer-deadcode.DeadStores): cleanup_fd reads it */
    return true;
}

bool egress_connect(const struct egress_addresses *addresses, int64_t connect_ms, int cut, int *fd,
                    char text[EGRESS_ADDRESS_TEXT], struct error *err)
{
    for (size_t i = 0; i < addresses->n && i < TRIES; i++) {
        egress_address_print((const struct sockaddr *)&addresses->items[i], text);
        if (connect_one(&addresses->items[i], connect_ms, cut, fd, err)) {
            return true;
        }
    }
    return addresses->n > 0 ? false : error_set(err, ERROR_NOT_FOUND, "no address");
}
