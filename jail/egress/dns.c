/* dns.c - answers queries, from packets and from connections.
 *
 * Invariants:
 *   - A name is looked up only when a rule names its host, its type is A or AAAA, it contains no canary, the record can be
 *     written and the rate allows it. A refused name never leaves this process.
 *   - Any packet that is long enough for a query is recorded before it is answered, even if it is refused or invalid; a name that is
 *     looked up also before that.
 *   - No answer has addresses that the rule may not reach (dial.h); an answer has at most EGRESS_DNS_MAX bytes.
 *   - An answer is sent from the address that its packet was sent to. A connection has at most QUESTIONS_MAX queries and
 *     IDLE_MS in all.
 *   - Threads: the threads of one egress_dns share the socket, and each packet goes to one of them. The only other mutable state
 *     they share is the service's account and log, which have their own locks. */
#include "jail/egress/dns.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

enum { THREADS = 4, STACK = 256 * 1024, QUESTIONS_MAX = 64, LENGTH = 2, IDLE_MS = 10 * 1000, NS_PER_MS = 1000000 };

struct egress_dns {
    struct egress_service *service;
    int fd, stop;
    pthread_t threads[THREADS];
    unsigned n;
};

/* --- one question ---------------------------------------------------------- */

static void name_type(const struct egress_dns_query *q, struct egress_attempt *a)
{
    if (q->type == EGRESS_DNS_A || q->type == EGRESS_DNS_AAAA) {
        (void)snprintf(a->method, sizeof(a->method), "%s", q->type == EGRESS_DNS_A ? "A" : "AAAA");
    } else {
        (void)snprintf(a->method, sizeof(a->method), "TYPE%u", q->type); /* RFC 3597 */
    }
}

static enum egress_dns_code refuse(struct egress_attempt *a, const char *reason, const char *detail)
{
    a->reason = reason;
    (void)snprintf(a->detail, sizeof(a->detail), "%s", detail);
    return EGRESS_DNS_REFUSED;
}

/* The addresses that the first rule with that host allows. */
static enum egress_dns_code look_up(struct egress_service *service, const struct egress_dns_query *q,
                                    struct egress_addresses *out, struct egress_attempt *a)
{
    const struct egress_rule *rule = egress_policy_find_host(service->policy, &q->host);
    struct error err = {0};

    if (egress_canary_is_in(&service->canary, span_str(q->host.text))) {
        return refuse(a, "canary", "it holds what only a honeytoken of this jail holds");
    }
    if (rule == NULL) {
        return refuse(a, "host", "no rule allows this host");
    }
    a->rule = rule->name;
    if (q->type != EGRESS_DNS_A && q->type != EGRESS_DNS_AAAA) {
        return refuse(a, "method", "a question for A or AAAA expected");
    }
    if (!egress_log_has_room(&service->log)) {
        return refuse(a, "record", "the record cannot be written");
    }
    if (!egress_account_take(&service->dns, clock_monotonic_ns())) {
        return refuse(a, "rate", "the limit of dns is used up");
    }
    if (egress_via_is_set(&rule->via)) {
        egress_resolve_unused(out);
        a->outcome = EGRESS_ALLOWED;
        return EGRESS_DNS_OK;
    }
    const struct egress_time_limit limit = {service->policy->limits.connect, service->cut};
    if (rule->n_addresses == 0 && !egress_log_open_attempt(&service->log, a)) {
        return refuse(a, "record", "the record cannot be written");
    }
    if (!egress_resolve(rule, &q->host, 0, &limit, out, a->address, &err)) {
        bool is_refused = err.kind == ERROR_DENIED;
        (void)refuse(a, is_refused ? "address" : "resolve", err.text);
        a->outcome = is_refused ? EGRESS_REFUSED : EGRESS_FAILED;
        return EGRESS_DNS_NO_NAME;
    }
    a->outcome = EGRESS_ALLOWED;
    return EGRESS_DNS_OK;
}

/* Answers one packet and records the query; false when there is no answer. */
static bool egress_dns_answer(struct egress_service *service, struct span packet, struct buf *out)
{
    struct egress_attempt a = {.kind = "dns", .time_ns = clock_utc_ns(), .started_ns = clock_monotonic_ns()};
    struct egress_addresses found = {.n = 0};
    struct egress_dns_query q;
    struct error err;
    enum egress_dns_code code;

    if (!egress_dns_read(packet, &q, &err)) {
        (void)refuse(&a, "request", err.text);
        egress_log_write(&service->log, &a);
        return false;
    }
    if (q.question.len == 0) {
        (void)refuse(&a, "request", "one question in class IN expected");
        code = EGRESS_DNS_FORMAT;
    } else if (!q.has_host) {
        name_type(&q, &a);
        code = refuse(&a, "host", "a name of a host expected");
    } else {
        name_type(&q, &a);
        (void)snprintf(a.host, sizeof(a.host), "%s", q.host.text);
        code = look_up(service, &q, &found, &a);
    }
    a.bytes_out = (int64_t)packet.len;
    egress_log_write(&service->log, &a);
    return egress_dns_write(&q, code, &found, out, &err);
}

/* --- a connection ------------------------------------------------------------ */

/* False: no more, or nothing that could be answered. */
static bool answer_next(struct egress_service *service, struct egress_link *l, struct error *err)
{
    struct buf answer CLEANUP(buf_deinit), message CLEANUP(buf_deinit);
    size_t len = 0;

    buf_init(&answer, EGRESS_DNS_MAX);
    buf_init(&message, LENGTH + EGRESS_DNS_MAX);
    while (egress_link_pending(l).len < LENGTH + len) {
        if (l->is_ended || !egress_link_fill(l, err)) {
            return false;
        }
        struct span p = egress_link_pending(l);
        len = p.len < LENGTH ? 0 : (size_t)((uint8_t)p.ptr[0] << 8 | (uint8_t)p.ptr[1]);
        if (len > EGRESS_DNS_MAX) {
            return false; /* longer than any question */
        }
    }
    struct span packet = span_slice(egress_link_pending(l), LENGTH, LENGTH + len);
    if (!egress_dns_answer(service, packet, &answer)) {
        return false;
    }
    egress_link_take(l, LENGTH + len);
    const char length[LENGTH] = {(char)(answer.len >> 8), (char)(answer.len & 0xff)};
    return buf_append(&message, span_of(length, LENGTH), err) && buf_append(&message, buf_span(&answer), err) &&
           egress_link_send(l, buf_span(&message), err);
}

void egress_dns_serve(struct egress_service *service, int fd)
{
    struct egress_link l;
    struct error err;

    if (!egress_link_init(&l, fd, IDLE_MS, clock_monotonic_ns() + (uint64_t)IDLE_MS * NS_PER_MS, &err)) {
        return;
    }
    l.cut = service->cut;
    for (int i = 0; i < QUESTIONS_MAX && answer_next(service, &l, &err); i++) {
    }
    egress_link_deinit(&l);
}

/* --- the socket -------------------------------------------------------------- */

/* Where a packet came from and which of our addresses it was for: the answer must come from that one, as the jail may
 * have asked any. */
struct envelope {
    struct sockaddr_storage from;
    char control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
    struct msghdr header;
    struct iovec bytes;
};

static void prepare(struct envelope *e, char *data, size_t len)
{
    memset(e, 0, sizeof(*e));
    e->bytes = (struct iovec){.iov_base = data, .iov_len = len};
    e->header = (struct msghdr){.msg_name = &e->from,
                                .msg_namelen = sizeof(e->from),
                                .msg_iov = &e->bytes,
                                .msg_iovlen = 1,
                                .msg_control = e->control,
                                .msg_controllen = sizeof(e->control)};
}

/* The kernel says which interface it came in by; an answer may go by any. */
static void readdress(struct envelope *e)
{
    struct cmsghdr *c = CMSG_FIRSTHDR(&e->header);

    if (c != NULL && c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
        struct in6_pktinfo info;
        memcpy(&info, CMSG_DATA(c), sizeof(info));
        info.ipi6_ifindex = 0;
        memcpy(CMSG_DATA(c), &info, sizeof(info));
    }
    if (c != NULL && c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
        struct in_pktinfo info;
        memcpy(&info, CMSG_DATA(c), sizeof(info));
        info.ipi_spec_dst = info.ipi_addr;
        info.ipi_ifindex = 0;
        memcpy(CMSG_DATA(c), &info, sizeof(info));
    }
}

static void serve_one(struct egress_dns *d)
{
    char packet[EGRESS_DNS_MAX];
    struct envelope e;
    struct buf answer CLEANUP(buf_deinit);

    buf_init(&answer, EGRESS_DNS_MAX);
    prepare(&e, packet, sizeof(packet));
    ssize_t n = recvmsg(d->fd, &e.header, MSG_DONTWAIT);
    if (n < 0 || (e.header.msg_flags & MSG_TRUNC) != 0) {
        return; /* another thread was quicker, or it is longer than any question */
    }
    if (egress_dns_answer(d->service, span_of(packet, (size_t)n), &answer)) {
        e.bytes = (struct iovec){.iov_base = answer.data, .iov_len = answer.len};
        readdress(&e);
        if (sendmsg(d->fd, &e.header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
            log_debug("egress: an answer of dns was not sent errno=%d", errno);
        }
    }
}

static void *run(void *context)
{
    struct egress_dns *d = context;
    struct pollfd p[] = {{.fd = d->stop, .events = POLLIN}, {.fd = d->fd, .events = POLLIN}};

    while (p[0].revents == 0) {
        if (poll(p, COUNT(p), -1) > 0 && p[1].revents != 0) {
            serve_one(d);
        }
    }
    return NULL;
}

struct egress_dns *egress_dns_start(struct egress_service *service, int fd, int stop, struct error *err)
{
    static const int on = 1;
    struct egress_dns *d = calloc(1, sizeof(*d));
    pthread_attr_t attributes;

    if (d == NULL) {
        error_set(err, ERROR_NO_MEMORY, "dns: no memory");
        return NULL;
    }
    *d = (struct egress_dns){.service = service, .fd = fd, .stop = stop};
    /* Each is of one family, and the kernel says no to the other's option. */
    (void)setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof(on)); /* answers from addresses that a route alone has */
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK);
    while (d->n < THREADS && pthread_create(&d->threads[d->n], &attributes, run, d) == 0) {
        d->n++;
    }
    (void)pthread_attr_destroy(&attributes);
    if (d->n == 0) {
        error_set(err, ERROR_SYSTEM, "dns: no thread");
        free(d);
        return NULL;
    }
    return d;
}

void egress_dns_join(struct egress_dns *d)
{
    for (unsigned i = 0; d != NULL && i < d->n; i++) {
        (void)pthread_join(d->threads[i], NULL);
    }
    free(d);
}
