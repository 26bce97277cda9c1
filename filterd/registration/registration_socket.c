#include "registration/registration_socket.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "registration/registration.h"
#include "registration/self_test.h"

enum {
    TICK_MS = 250,             /* the self-test and detached agents have no descriptor to poll */
    QUESTIONS_NS = 1000000000, /* between checks for overdue questions: their timeouts are in seconds */
    FIXED = 4,                 /* polled in addition to the registrations: listener, stop, outcomes, helper */
    POLLED = FIXED + 2 * REGISTRATIONS_MAX,
};

struct registration_socket {
    struct registration_owner owner;
    struct address address;
    int listener, stop; /* listener -1: none */
    pthread_t thread;
    bool is_running;
    uint64_t looked_ns, reactions_seen;
    bool has_lost_helper;
    struct self_test test;
    struct registrations registrations;
    struct pollfd polled[POLLED];
};

/* --- what the killer did -------------------------------------------------- */

static void record_outcome(struct registration_socket *s, const struct kill_outcome *o, struct span jail)
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

    agents_record(s->owner.agents, &e);
    if (is_kill) {
        (void)atomic_fetch_add(o->kill.is_verified ? &s->owner.agents->kills : &s->owner.agents->kill_failures, 1);
    }
    if (is_kill && !o->kill.is_verified) {
        log_error("agents: kill not verified, retrying survivors=%lld", (long long)o->kill.survivors);
    } else if (is_kill) {
        log_warn("agents: killed processes=%lld survivors=0 since_order_us=%lld (see the record)",
                 (long long)o->kill.processes, (long long)o->since_order_us);
    }
}

static void take_outcomes(struct registration_socket *s)
{
    char why[KILLER_WHY_MAX];
    struct kill_outcome o;
    int slot = -1;

    while (killer_next(s->owner.agents->killer, &o)) {
        if (self_test_take(&s->test, s->owner.agents, &o, clock_monotonic_ns())) {
            continue;
        }
        struct registration *r = registrations_at_slot(&s->registrations, o.slot);
        record_outcome(s, &o, span_str(r == NULL ? "" : r->jail));
        if (r != NULL) {
            registration_notify_outcome(r, &o);
        }
    }
    while (killer_next_ordered(s->owner.agents->killer, &slot, why)) {
        struct registration *r = registrations_at_slot(&s->registrations, slot);
        if (r != NULL) {
            registration_notify_kill(r, why);
        }
    }
}

static void record_hook(struct registration_socket *s, const struct agent_message *m)
{
    static const char *const events[] = {"hook_verified", "hook_unverified", "hook_failed"};
    size_t i = strcmp(m->word, "verified") == 0 ? 0 : strcmp(m->word, "unverified") == 0 ? 1 : 2;
    const struct agent_event e = {.event = events[i],
                                  .by = "filterd",
                                  .key = {span_str(m->tenant), span_str(m->agent)},
                                  .why = span_str(m->text),
                                  .now_ns = clock_utc_ns()};

    agents_record(s->owner.agents, &e);
    if (i > 0) {
        log_warn("agents: a hook did not verify that an agent outside a jail ended (see the record)");
    }
}

static void take_answers(struct registration_socket *s)
{
    const struct helper *helper = s->owner.helper;
    struct agent_handles handles;
    struct agent_message m;
    enum agent_received received = AGENT_NOTHING;

    while (!s->has_lost_helper && helper->channel >= 0 &&
           (received = agent_message_receive(helper->channel, &m, &handles)) == AGENT_RECEIVED) {
        if (m.kind == WIRE_HOOKED) {
            record_hook(s, &m);
        } else {
            self_test_answer(&s->test, s->owner.agents, &m, &handles, clock_monotonic_ns());
        }
        agent_handles_close(&handles);
    }
    if (received == AGENT_CLOSED) {
        log_error("agents: the helper process ended: no self-test, no hooks for agents outside a jail");
        s->has_lost_helper = true;
    }
}

/* A line in the log for what thresholds and operators did since the last look. */
static void log_reactions(struct registration_socket *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < REACTION_KINDS; i++) {
        sum += atomic_load(&s->owner.agents->reactions[i]);
    }
    if (sum != s->reactions_seen) {
        log_warn("agents: reactions n=%llu (see the record)", (unsigned long long)(sum - s->reactions_seen));
        s->reactions_seen = sum;
    }
}

static void check_questions(struct registration_socket *s, uint64_t now_ns)
{
    if (now_ns - s->looked_ns < QUESTIONS_NS) {
        return;
    }
    s->looked_ns = now_ns;
    struct snapshot *snapshot = s->owner.snapshot(s->owner.context);
    (void)agents_settle_questions(s->owner.agents, &snapshot->violations, clock_utc_ns());
    snapshot_unref(snapshot);
    log_reactions(s);
}

/* --- registrations -------------------------------------------------------- */

static void admit(struct registration_socket *s)
{
    for (;;) {
        int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            return;
        }
        if (!registrations_add(&s->registrations, fd, clock_monotonic_ns())) {
            (void)close(fd); /* the launcher sees that and refuses to run */
            log_warn("agents: registration refused: %d jails are registered", REGISTRATIONS_MAX);
        }
    }
}

static void serve_registrations(struct registration_socket *s, uint64_t now_ns)
{
    struct snapshot *snapshot = s->owner.snapshot(s->owner.context);
    struct registration_context c = {.agents = s->owner.agents, .violations = &snapshot->violations,
                              .identities = s->owner.identities, .snapshot = snapshot, .all = &s->registrations,
                              .now_ns = now_ns, .utc_ns = clock_utc_ns()};

    for (size_t i = 0; i < REGISTRATIONS_MAX; i++) {
        struct registration *r = &s->registrations.items[i];
        if (r->stage != REGISTRATION_NONE) {
            registration_serve(r, &c);
        }
    }
    snapshot_unref(snapshot);
}

static nfds_t fill(struct registration_socket *s)
{
    nfds_t n = FIXED;

    s->polled[0] = (struct pollfd){.fd = s->stop, .events = POLLIN};
    s->polled[1] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    s->polled[2] = (struct pollfd){.fd = killer_event(s->owner.agents->killer), .events = POLLIN};
    s->polled[3] = (struct pollfd){.fd = s->has_lost_helper ? -1 : s->owner.helper->channel, .events = POLLIN};
    for (size_t i = 0; i < REGISTRATIONS_MAX; i++) {
        const struct registration *r = &s->registrations.items[i];
        if (r->stage == REGISTRATION_NEW || r->stage == REGISTRATION_LIVE) {
            s->polled[n++] = (struct pollfd){.fd = r->fd, .events = POLLIN};
            s->polled[n++] = (struct pollfd){.fd = r->launcher, .events = POLLIN};
        }
    }
    return n;
}

static void *run(void *context)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    struct registration_socket *s = context;

    for (;;) {
        uint64_t now_ns = clock_monotonic_ns();
        int wait_ms = registrations_wait_ms(&s->registrations, now_ns, TICK_MS);
        nfds_t n = fill(s);
        if (poll(s->polled, n, wait_ms) < 0 && errno != EINTR) {
            (void)nanosleep(&pause, NULL); /* out of memory: leases are still renewed */
        }
        if (s->polled[0].revents != 0) {
            return NULL;
        }
        take_outcomes(s);
        serve_registrations(s, clock_monotonic_ns());
        if (s->polled[1].revents != 0) {
            admit(s);
        }
        take_answers(s);
        self_test_step(&s->test, s->owner.agents, clock_monotonic_ns());
        check_questions(s, clock_monotonic_ns());
    }
}

/* --- life ----------------------------------------------------------------- */

struct registration_socket *registration_socket_open(const struct registration_owner *owner, const struct address *a,
                                                     unsigned mode, struct error *err)
{
    struct registration_socket *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "agents: no memory");
        return NULL;
    }
    s->owner = *owner;
    s->address = *a;
    s->listener = -1;
    self_test_init(&s->test, owner->helper, owner->kill_test);
    s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->stop < 0) {
        error_errno(err, "agents");
    }
    if (s->stop < 0 ||
        (a->kind == ADDRESS_UNIX && !address_listen_packets(&s->address, mode, &s->listener, err))) {
        registration_socket_close(s);
        return NULL;
    }
    return s;
}

bool registration_socket_start(struct registration_socket *s, struct error *err)
{
    s->is_running = pthread_create(&s->thread, NULL, run, s) == 0;
    return s->is_running || error_set(err, ERROR_SYSTEM, "agents: a thread cannot be started");
}

void registration_socket_close(struct registration_socket *s)
{
    const uint64_t one = 1;

    if (s == NULL) {
        return;
    }
    if (s->is_running) {
        (void)!write(s->stop, &one, sizeof(one));
        (void)pthread_join(s->thread, NULL);
    }
    registrations_deinit(&s->registrations);
    cleanup_fd(&s->stop);
    if (s->listener >= 0) {
        (void)close(s->listener);
        (void)unlink(s->address.socket.local.sun_path);
    }
    free(s);
}
