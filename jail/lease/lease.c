#include "jail/lease/lease.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum {
    UNSENT_MAX = 1000,   /* of a kind that wait; more are not counted: any weight has reached its threshold */
    TURN_MS = 10,        /* between two of a kind, */
    AHEAD_MS = 10 * 1000, /* a thousand may be sent at once */
    LAST_MS = 1000,      /* for what is unsent at the end */
};

void jail_lease_init(struct jail_lease *l)
{
    *l = (struct jail_lease){.fd = -1};
}

/* The policy's names are shorter than the message's. */
static void set_names(struct agent_message *m, const struct jail_policy *p)
{
    (void)snprintf(m->agent, sizeof(m->agent), "%s", p->filter.agent != NULL ? p->filter.agent : p->name);
    (void)snprintf(m->tenant, sizeof(m->tenant), "%s", p->filter.tenant != NULL ? p->filter.tenant : "");
    (void)snprintf(m->jail, sizeof(m->jail), "%s", p->name);
    m->lease_ms = (uint32_t)p->filter.lease;
}

static bool send_hello(const struct jail_lease *l, const struct jail_policy *p, const struct jail_kill_target *t, int cut,
                       struct error *err)
{
    int self CLEANUP(cleanup_fd) = (int)syscall(SYS_pidfd_open, getpid(), 0);
    struct agent_handles handles;
    struct agent_message m;

    if (self < 0) {
        return error_errno(err, "filterd: the launcher's own pidfd");
    }
    agent_message_init(&m, WIRE_HELLO);
    set_names(&m, p);
    agent_handles_of(t, &handles);
    handles.fds[AGENT_HANDLE_LAUNCHER] = self;
    handles.fds[AGENT_HANDLE_CUT] = cut;
    return agent_message_send(l->fd, &m, &handles) || error_errno(err, "filterd at %s", p->filter.socket);
}

static bool read_answer(const struct jail_policy *p, enum agent_received received, const struct agent_message *m,
                        struct error *err)
{
    if (received == AGENT_RECEIVED && m->kind == WIRE_WELCOME) {
        return true;
    }
    if (received == AGENT_RECEIVED && m->kind == WIRE_REFUSED) {
        return error_set(err, ERROR_DENIED, "filterd at %s refuses the jail: %s", p->filter.socket, m->text);
    }
    return error_set(err, ERROR_MALFORMED, "filterd at %s: a welcome expected", p->filter.socket);
}

static bool await_welcome(struct jail_lease *l, const struct jail_policy *p, struct error *err)
{
    struct pollfd polled = {.fd = l->fd, .events = POLLIN};
    int64_t until = clock_monotonic_ms() + l->bound_ms;
    struct agent_message m;

    for (;;) {
        int64_t left = until - clock_monotonic_ms();
        int n = left <= 0 ? 0 : poll(&polled, 1, (int)left);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return error_set(err, ERROR_LIMIT, "filterd at %s did not answer within the lease", p->filter.socket);
        }
        enum agent_received received = agent_message_receive(l->fd, &m, NULL);
        if (received != AGENT_NOTHING) {
            return read_answer(p, received, &m, err);
        }
    }
}

bool jail_lease_open(struct jail_lease *l, const struct jail_policy *p, const struct jail_kill_target *t, int cut,
                     struct error *err)
{
    if (p->filter.socket == NULL) {
        return true;
    }
    l->bound_ms = p->filter.lease;
    l->fd = agent_wire_connect(p->filter.socket, err);
    if (l->fd < 0 || !send_hello(l, p, t, cut, err) || !await_welcome(l, p, err)) {
        jail_lease_close(l);
        return false;
    }
    l->renewed_ms = clock_monotonic_ms();
    return true;
}

/* --- violations ------------------------------------------------------------- */

static bool send_unsent(const struct jail_lease *l, struct jail_lease_unsent *u)
{
    struct agent_message m;

    agent_message_init(&m, WIRE_VIOLATION);
    (void)snprintf(m.word, sizeof(m.word), "%s", u->kind);
    if (u->n == 1) {
        (void)snprintf(m.text, sizeof(m.text), "%s", u->detail);
    } else {
        (void)snprintf(m.text, sizeof(m.text), "%s (the last of %u)", u->detail, u->n);
    }
    bool is_sent = agent_message_send(l->fd, &m, NULL);
    u->n -= is_sent;
    return is_sent;
}

/* Each kind has a rate of its own, so that many of one do not hold up the others. */
static void send_within_rate(const struct jail_lease *l, struct jail_lease_unsent *u, int64_t now)
{
    u->next_ms = u->next_ms > now ? u->next_ms : now;
    while (u->n > 0 && u->next_ms - now <= AHEAD_MS && send_unsent(l, u)) {
        u->next_ms += TURN_MS;
    }
}

/* All that waits, above the rate too, as long as filterd takes it. */
static void send_last(struct jail_lease *l)
{
    int64_t until = clock_monotonic_ms() + LAST_MS;
    struct pollfd polled = {.fd = l->fd, .events = POLLOUT};

    for (size_t i = 0; i < JAIL_LEASE_KINDS; i++) {
        bool may_go_on = true;
        while (l->unsent[i].n > 0 && may_go_on && !send_unsent(l, &l->unsent[i])) {
            int64_t left = until - clock_monotonic_ms();
            may_go_on = left > 0 && poll(&polled, 1, (int)left) == 1 && polled.revents == POLLOUT;
        }
    }
}

void jail_lease_report(struct jail_lease *l, const char *kind, const char *detail)
{
    struct jail_lease_unsent *u = l->unsent;

    while (u < l->unsent + JAIL_LEASE_KINDS && u->kind[0] != '\0' && strcmp(u->kind, kind) != 0) {
        u++;
    }
    if (l->fd < 0 || u == l->unsent + JAIL_LEASE_KINDS) {
        return;
    }
    (void)snprintf(u->kind, sizeof(u->kind), "%s", kind);
    (void)snprintf(u->detail, sizeof(u->detail), "%s", detail);
    u->n += u->n < UNSENT_MAX;
    send_within_rate(l, u, clock_monotonic_ms());
}

void jail_lease_close(struct jail_lease *l)
{
    struct agent_message m;

    if (l->fd >= 0) {
        send_last(l);
        agent_message_init(&m, WIRE_GOODBYE);
        (void)!agent_message_send(l->fd, &m, NULL);
        cleanup_fd(&l->fd);
        l->fd = -1;
    }
}

/* The strictest of what the messages say. */
static enum jail_lease_state take(struct jail_lease *l, const struct agent_message *m, enum jail_lease_state state)
{
    enum jail_lease_state said = JAIL_LEASE_HELD;

    if (m->kind == WIRE_KILLED) {
        memcpy(l->why, m->text, sizeof(l->why));
        said = JAIL_LEASE_ENDED;
    } else if (m->kind == WIRE_CUT) {
        said = JAIL_LEASE_CUT;
    }
    return said < state ? said : state;
}

enum jail_lease_state jail_lease_look(struct jail_lease *l, int64_t now)
{
    enum jail_lease_state state = JAIL_LEASE_HELD;
    enum agent_received received = AGENT_NOTHING;
    struct agent_message m;

    if (l->fd < 0) {
        return JAIL_LEASE_HELD;
    }
    for (size_t i = 0; i < JAIL_LEASE_KINDS; i++) {
        send_within_rate(l, &l->unsent[i], now);
    }
    while ((received = agent_message_receive(l->fd, &m, NULL)) == AGENT_RECEIVED) {
        l->renewed_ms = now;
        state = take(l, &m, state);
    }
    if (state == JAIL_LEASE_ENDED) {
        return state; /* known why, whatever became of the connection */
    }
    return received != AGENT_NOTHING || now - l->renewed_ms >= l->bound_ms ? JAIL_LEASE_LOST : state;
}

int jail_lease_wait_ms(const struct jail_lease *l, int64_t now, int other)
{
    int64_t left = l->renewed_ms + l->bound_ms - now;

    return l->fd < 0 || left > other ? other : left < 0 ? 0 : (int)left;
}
