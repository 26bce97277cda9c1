#include "jail/egress/launcher.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "jail/policy/event.h"
#include "jail/network/channel.h"

enum { NOTIFY_TRIES = 100, NOTIFY_PAUSE_MS = 10 };

/* --- before ---------------------------------------------------------------- */

static void close_all(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        close(fds[i]);
    }
}

static bool say_ready(int channel, const struct egress_authority *authority, struct error *err)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_READY};
    struct buf pem CLEANUP(buf_deinit);

    buf_init(&pem, sizeof(m.text) - 1);
    if (authority != NULL && !egress_authority_print(authority, &pem, err)) {
        return false;
    }
    if (pem.len > 0) {
        memcpy(m.text, pem.data, pem.len);
    }
    return jail_channel_send(channel, &m, NULL, 0, 0) || error_errno(err, "launcher");
}

static void take_in(const struct jail_channel_message *m, const int *fds, struct egress_entrance *out)
{
    size_t at = 0;

    const struct {
        unsigned n;
        enum egress_listener_kind kind;
    } listeners[] = {{m->n_streams, EGRESS_LISTENER_CAPTURE}, {m->n_proxies, EGRESS_LISTENER_PROXY}, {m->n_name_streams, EGRESS_LISTENER_NAMES}};

    for (size_t i = 0; i < COUNT(listeners); i++) {
        for (unsigned k = 0; k < listeners[i].n; k++) {
            out->listeners[out->n_listeners++] = (struct egress_listener){.text = "fd:", .fd = fds[at++], .kind = listeners[i].kind};
        }
    }
    for (unsigned i = 0; i < m->n_names; i++) {
        out->names[out->n_names++] = fds[at++];
    }
    (void)snprintf(out->canary, sizeof(out->canary), "%s", m->text);
    if (m->n_packets > 0) {
        out->packets = fds[at];
    }
}

bool egress_launcher_await(int channel, const struct egress_authority *authority, struct egress_entrance *out,
                           struct error *err)
{
    int fds[JAIL_CHANNEL_SOCKETS_MAX];
    struct jail_channel_message m;
    size_t n;

    if (!say_ready(channel, authority, err)) {
        return false;
    }
    if (jail_channel_receive(channel, &m, fds, &n, 0) != JAIL_CHANNEL_CAME) {
        return error_set(err, ERROR_DENIED, "the launcher ended before there was a jail");
    }
    if (m.kind != JAIL_CHANNEL_SOCKETS || n > EGRESS_LISTENERS_MAX ||
        m.n_names > EGRESS_NAMES_MAX) {
        close_all(fds, n);
        return error_set(err, ERROR_MALFORMED, "launcher: the sockets of a jail expected");
    }
    *out = (struct egress_entrance){.packets = -1};
    take_in(&m, fds, out);
    return true;
}

void egress_launcher_fail(int channel, const struct error *why)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_FAILED};

    (void)snprintf(m.text, sizeof(m.text), "%s", why->text);
    (void)!jail_channel_send(channel, &m, NULL, 0, MSG_DONTWAIT);
}

/* --- while it serves -------------------------------------------------------- */

struct egress_launcher {
    struct egress_service *service;
    struct egress_ends ends;
    pthread_t thread;
};

static const struct {
    const char *reason;
    enum jail_event_kind event;
} events[] = {
    {"host", JAIL_EVENT_NET_HOST},     {"port", JAIL_EVENT_NET_HOST},
    {"scheme", JAIL_EVENT_NET_HOST},   {"method", JAIL_EVENT_NET_HOST},
    {"path", JAIL_EVENT_NET_HOST},     {"hello", JAIL_EVENT_NET_HOST},
    {"request", JAIL_EVENT_NET_HOST},  {"address", JAIL_EVENT_NET_ADDRESS},
    {"rate", JAIL_EVENT_NET_BUDGET},   {"budget", JAIL_EVENT_NET_BUDGET},
    {"restated", JAIL_EVENT_NET_HOST}, {"canary", JAIL_EVENT_BODY_CANARY},
    {"filter", JAIL_EVENT_BODY_REFUSED}, {"credential", JAIL_EVENT_NET_CREDENTIAL},
};

/* False: nothing that counts against the jail. */
static bool find_event(const struct egress_attempt *a, enum jail_event_kind *out)
{
    static const char *const raw[] = {"tcp", "udp", "icmp", "ip"};

    if (a->outcome != EGRESS_REFUSED || a->reason == NULL || a->is_answer) {
        return false;
    }
    for (size_t i = 0; i < COUNT(raw); i++) {
        if (strcmp(a->kind, raw[i]) == 0) {
            *out = JAIL_EVENT_NET_RAW;
            return true;
        }
    }
    for (size_t i = 0; i < COUNT(events); i++) {
        if (strcmp(a->reason, events[i].reason) == 0) {
            bool is_question = strcmp(a->kind, "dns") == 0 && events[i].event == JAIL_EVENT_NET_HOST;
            *out = is_question ? JAIL_EVENT_NET_DNS : events[i].event;
            return true;
        }
    }
    return false;
}

/* From any thread. A launcher that does not read for a second misses some: the record has them all. */
static void notify(void *context, const struct egress_attempt *a)
{
    const struct egress_launcher *l = context;
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_EVENT};
    enum jail_event_kind event;

    if (find_event(a, &event)) {
        m.event = (int)event;
        egress_attempt_summarise(a, m.text, JAIL_EVENT_DETAIL);
        struct pollfd p = {.fd = l->ends.channel, .events = POLLOUT};
        for (int i = 0; i < NOTIFY_TRIES && !jail_channel_send(l->ends.channel, &m, NULL, 0, MSG_DONTWAIT); i++) {
            (void)poll(&p, 1, NOTIFY_PAUSE_MS);
        }
    }
}

static void note_socket(struct egress_launcher *l, const char *text)
{
    struct egress_attempt a = {
        .kind = "socket", .time_ns = clock_utc_ns(), .started_ns = clock_monotonic_ns(), .reason = "protocol"};

    (void)snprintf(a.detail, sizeof(a.detail), "%s", text);
    egress_log_write(&l->service->log, &a);
}

/* False at the launcher's end. */
static bool take_message(struct egress_launcher *l)
{
    int fds[JAIL_CHANNEL_SOCKETS_MAX];
    struct jail_channel_message m;
    size_t n;

    enum jail_channel_result result = jail_channel_receive(l->ends.channel, &m, fds, &n, MSG_DONTWAIT);
    close_all(fds, n);
    if (result == JAIL_CHANNEL_CAME && m.kind == JAIL_CHANNEL_NOTE) {
        note_socket(l, m.text);
    }
    return result != JAIL_CHANNEL_END;
}

/* What an agent that is stopped could still ask with: gone before its connections are, and on record as such. */
static void drop_credentials(struct egress_launcher *l)
{
    struct egress_attempt a = {.kind = "credential", .time_ns = clock_utc_ns(), .started_ns = clock_monotonic_ns(),
                               .reason = "revoked", .is_answer = true /* not an act of the jail */};
    size_t n = egress_secrets_revoke(&l->service->secrets);

    if (n > 0) {
        (void)snprintf(a.detail, sizeof(a.detail), "wiped: %zu", n);
        egress_log_write(&l->service->log, &a);
    }
}

static void signal_event(int fd)
{
    static const uint64_t one = 1;

    (void)!write(fd, &one, sizeof(one));
}

static void *run(void *context)
{
    struct egress_launcher *l = context;
    struct pollfd p[] = {{.fd = l->ends.channel, .events = POLLIN},
                         {.fd = l->ends.signals, .events = POLLIN},
                         {.fd = l->ends.stop, .events = POLLIN},
                         {.fd = l->ends.cut, .events = POLLIN}};
    bool is_there = true;

    while (is_there && p[1].revents == 0 && p[2].revents == 0 && p[3].revents == 0) {
        if (poll(p, COUNT(p), -1) > 0 && p[0].revents != 0) {
            is_there = take_message(l);
        }
    }
    if (!is_there || p[3].revents != 0) {
        signal_event(l->service->cut); /* the jail is gone, or is to have no network */
        drop_credentials(l);
    }
    signal_event(l->ends.stop);
    return NULL;
}

struct egress_launcher *egress_launcher_watch(struct egress_service *service, const struct egress_ends *ends,
                                              struct error *err)
{
    struct egress_launcher *l = calloc(1, sizeof(*l));

    if (l == NULL) {
        error_set(err, ERROR_NO_MEMORY, "launcher: no memory");
        return NULL;
    }
    *l = (struct egress_launcher){.service = service, .ends = *ends};
    service->log.notify = ends->channel < 0 ? NULL : notify;
    service->log.notify_context = l;
    if (pthread_create(&l->thread, NULL, run, l) != 0) {
        service->log.notify = NULL;
        error_set(err, ERROR_SYSTEM, "launcher: no thread");
        free(l);
        return NULL;
    }
    return l;
}

void egress_launcher_join(struct egress_launcher *l)
{
    if (l != NULL) {
        (void)pthread_join(l->thread, NULL);
        l->service->log.notify = NULL;
        free(l);
    }
}
