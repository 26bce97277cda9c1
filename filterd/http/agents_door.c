#include "http/agents_door.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/guest.h"
#include "http/self_test.h"

enum {
    TICK_MS = 250,
    QUESTIONS_NS = 1000000000, /* between looks at open questions */
    FIXED = 4,                 /* polled besides the guests: listener, stop, outcomes, helper */
    POLLED = FIXED + 2 * GUESTS_MAX,
};

struct agents_door {
    struct service *service;
    struct address address;
    int listener, stop; /* listener -1: none */
    pthread_t thread;
    bool is_running;
    uint64_t looked_ns, reactions_seen;
    bool has_lost_helper;
    struct self_test test;
    struct guests guests;
    struct pollfd polled[POLLED];
};

/* --- what the killer did -------------------------------------------------- */

static void record_outcome(struct agents_door *d, const struct kill_outcome *o, struct span jail)
{
    bool is_kill = (o->orders & ORDER_KILL) != 0;
    const struct agent_event e = {
        .event = !is_kill ? "carried_out" : o->kill.is_verified ? "killed" : "not_killed",
        .by = "filterd",
        .key = {span_str(o->tenant), span_str(o->agent)},
        .why = span_str(o->why),
        .jail = jail,
        .outcome = o,
        .now_ns = clock_utc_ns(),
    };

    agents_record(&d->service->agents, &e);
    if (is_kill) {
        (void)atomic_fetch_add(o->kill.is_verified ? &d->service->agents.kills : &d->service->agents.kill_failures, 1);
    }
    if (is_kill && !o->kill.is_verified) {
        log_error("agents: a kill is not verified, it is tried again survivors=%lld", (long long)o->kill.survivors);
    } else if (is_kill) {
        log_warn("agents: killed processes=%lld survivors=0 since_order_us=%lld (the record says whose)",
                 (long long)o->kill.processes, (long long)o->since_order_us);
    }
}

static void take_outcomes(struct agents_door *d)
{
    char why[KILLER_WHY_MAX];
    struct kill_outcome o;
    int place = -1;

    while (killer_next(d->service->agents.killer, &o)) {
        if (self_test_take(&d->test, &d->service->agents, &o, clock_monotonic_ns())) {
            continue;
        }
        struct guest *g = guests_at_place(&d->guests, o.place);
        record_outcome(d, &o, span_str(g == NULL ? "" : g->jail));
        if (g != NULL) {
            guest_tell_outcome(g, &o);
        }
    }
    while (killer_next_ordered(d->service->agents.killer, &place, why)) {
        struct guest *g = guests_at_place(&d->guests, place);
        if (g != NULL) {
            guest_tell_kill(g, why);
        }
    }
}

static void record_hook(struct agents_door *d, const struct agent_message *m)
{
    static const char *const events[] = {"hook_verified", "hook_unverified", "hook_failed"};
    size_t i = strcmp(m->word, "verified") == 0 ? 0 : strcmp(m->word, "unverified") == 0 ? 1 : 2;
    const struct agent_event e = {.event = events[i],
                                  .by = "filterd",
                                  .key = {span_str(m->tenant), span_str(m->agent)},
                                  .why = span_str(m->text),
                                  .now_ns = clock_utc_ns()};

    agents_record(&d->service->agents, &e);
    if (i > 0) {
        log_warn("agents: an agent outside a jail is not seen to be gone (the record says more)");
    }
}

static void take_answers(struct agents_door *d)
{
    const struct helper *helper = &d->service->helper;
    struct agent_handles handles;
    struct agent_message m;
    enum agent_received received = AGENT_NOTHING;

    while (!d->has_lost_helper && helper->channel >= 0 &&
           (received = agent_message_receive(helper->channel, &m, &handles)) == AGENT_RECEIVED) {
        if (m.kind == WIRE_HOOKED) {
            record_hook(d, &m);
        } else {
            self_test_answer(&d->test, &d->service->agents, &m, &handles, clock_monotonic_ns());
        }
        agent_handles_close(&handles);
    }
    if (received == AGENT_CLOSED) {
        log_error("agents: the helper is gone: no self-test, and no hook for agents outside a jail");
        d->has_lost_helper = true;
    }
}

/* A line in the log for what thresholds and operators did since the last look. */
static void log_reactions(struct agents_door *d)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < REACTION_KINDS; i++) {
        sum += atomic_load(&d->service->agents.reactions[i]);
    }
    if (sum != d->reactions_seen) {
        log_warn("agents: reactions n=%llu (the record says whose)", (unsigned long long)(sum - d->reactions_seen));
        d->reactions_seen = sum;
    }
}

static void look_around(struct agents_door *d, uint64_t now_ns)
{
    if (now_ns - d->looked_ns < QUESTIONS_NS) {
        return;
    }
    d->looked_ns = now_ns;
    struct snapshot *snapshot = service_snapshot(d->service);
    (void)agents_settle_questions(&d->service->agents, &snapshot->violations, clock_utc_ns());
    snapshot_unref(snapshot);
    log_reactions(d);
}

/* --- guests --------------------------------------------------------------- */

static void admit(struct agents_door *d)
{
    for (;;) {
        int fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            return;
        }
        if (!guests_add(&d->guests, fd, clock_monotonic_ns())) {
            (void)close(fd); /* the launcher sees that and refuses to run */
            log_warn("agents: a jail is turned away: %d are registered", GUESTS_MAX);
        }
    }
}

static void serve_guests(struct agents_door *d, uint64_t now_ns)
{
    struct snapshot *snapshot = service_snapshot(d->service);
    struct guest_context c = {.agents = &d->service->agents, .violations = &snapshot->violations,
                              .identities = d->service->identities, .snapshot = snapshot, .all = &d->guests,
                              .now_ns = now_ns, .utc_ns = clock_utc_ns()};

    for (size_t i = 0; i < GUESTS_MAX; i++) {
        struct guest *g = &d->guests.items[i];
        if (g->stage != GUEST_NONE) {
            guest_serve(g, &c);
        }
    }
    snapshot_unref(snapshot);
}

static nfds_t fill(struct agents_door *d)
{
    nfds_t n = FIXED;

    d->polled[0] = (struct pollfd){.fd = d->stop, .events = POLLIN};
    d->polled[1] = (struct pollfd){.fd = d->listener, .events = POLLIN};
    d->polled[2] = (struct pollfd){.fd = killer_event(d->service->agents.killer), .events = POLLIN};
    d->polled[3] = (struct pollfd){.fd = d->has_lost_helper ? -1 : d->service->helper.channel, .events = POLLIN};
    for (size_t i = 0; i < GUESTS_MAX; i++) {
        const struct guest *g = &d->guests.items[i];
        if (g->stage == GUEST_NEW || g->stage == GUEST_LIVE) {
            d->polled[n++] = (struct pollfd){.fd = g->fd, .events = POLLIN};
            d->polled[n++] = (struct pollfd){.fd = g->launcher, .events = POLLIN};
        }
    }
    return n;
}

static void *run(void *context)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    struct agents_door *d = context;

    for (;;) {
        uint64_t now_ns = clock_monotonic_ns();
        int wait_ms = guests_wait_ms(&d->guests, now_ns, TICK_MS);
        nfds_t n = fill(d);
        if (poll(d->polled, n, wait_ms) < 0 && errno != EINTR) {
            (void)nanosleep(&pause, NULL); /* want of memory: leases are renewed all the same */
        }
        if (d->polled[0].revents != 0) {
            return NULL;
        }
        take_outcomes(d);
        serve_guests(d, clock_monotonic_ns());
        if (d->polled[1].revents != 0) {
            admit(d);
        }
        take_answers(d);
        self_test_step(&d->test, &d->service->agents, clock_monotonic_ns());
        look_around(d, clock_monotonic_ns());
    }
}

/* --- life ----------------------------------------------------------------- */

struct agents_door *agents_door_open(struct service *s, const struct address *a, unsigned mode, struct error *err)
{
    struct agents_door *d = calloc(1, sizeof(*d));

    if (d == NULL) {
        error_set(err, ERROR_NO_MEMORY, "agents: no memory");
        return NULL;
    }
    d->service = s;
    d->address = *a;
    d->listener = -1;
    self_test_init(&d->test, &s->helper, s->options->kill_test);
    d->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (d->stop < 0) {
        error_errno(err, "agents");
    }
    if (d->stop < 0 ||
        (a->kind == ADDRESS_UNIX && !address_listen_packets(&d->address, mode, &d->listener, err))) {
        agents_door_close(d);
        return NULL;
    }
    return d;
}

bool agents_door_start(struct agents_door *d, struct error *err)
{
    d->is_running = pthread_create(&d->thread, NULL, run, d) == 0;
    return d->is_running || error_set(err, ERROR_SYSTEM, "agents: a thread cannot be started");
}

void agents_door_close(struct agents_door *d)
{
    const uint64_t one = 1;

    if (d == NULL) {
        return;
    }
    if (d->is_running) {
        (void)!write(d->stop, &one, sizeof(one));
        (void)pthread_join(d->thread, NULL);
    }
    guests_deinit(&d->guests);
    cleanup_fd(&d->stop);
    if (d->listener >= 0) {
        (void)close(d->listener);
        (void)unlink(d->address.socket.local.sun_path);
    }
    free(d);
}
