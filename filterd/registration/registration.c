#include "registration/registration.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
    HANDSHAKE_TIMEOUT_NS = 2000000000, /* a launcher registers at once; one that hangs must not keep a slot */
    LEASE_MIN_MS = 200,                /* below it a busy machine would end healthy jails */
    LEASE_MAX_MS = 3600000,
    MESSAGES_AT_ONCE = 32, /* of one jail before the others have their turn */
    NAMES_MEMORY = 4096,
};

bool registrations_add(struct registrations *all, int fd, uint64_t now_ns)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0) {
        return false;
    }
    for (size_t i = 0; i < REGISTRATIONS_MAX; i++) {
        struct registration *r = &all->items[i];
        if (r->stage == REGISTRATION_NONE) {
            *r = (struct registration){.stage = REGISTRATION_NEW, .fd = fd, .launcher = -1, .init = -1, .slot = -1,
                                .uid = peer.uid, .due_ns = now_ns + HANDSHAKE_TIMEOUT_NS};
            return true;
        }
    }
    return false;
}

static void hang_up(struct registration *r)
{
    cleanup_fd(&r->fd);
    cleanup_fd(&r->launcher);
    r->fd = r->launcher = -1;
    r->stage = r->slot < 0 ? REGISTRATION_NONE : REGISTRATION_LEAVING;
}

void registrations_deinit(struct registrations *all)
{
    for (size_t i = 0; i < REGISTRATIONS_MAX; i++) {
        if (all->items[i].stage != REGISTRATION_NONE) {
            hang_up(&all->items[i]);
        }
    }
}

struct registration *registrations_at_slot(struct registrations *all, int slot)
{
    for (size_t i = 0; i < REGISTRATIONS_MAX; i++) {
        if (all->items[i].stage >= REGISTRATION_LIVE && all->items[i].slot == slot) {
            return &all->items[i];
        }
    }
    return NULL;
}

int registrations_wait_ms(const struct registrations *all, uint64_t now_ns, int other)
{
    int wait = other;

    for (size_t i = 0; i < REGISTRATIONS_MAX; i++) {
        const struct registration *r = &all->items[i];
        if (r->stage == REGISTRATION_NEW || r->stage == REGISTRATION_LIVE) {
            uint64_t left = r->due_ns > now_ns ? (r->due_ns - now_ns) / 1000000 + 1 : 0;
            wait = left < (uint64_t)wait ? (int)left : wait;
        }
    }
    return wait;
}

static bool is_ready(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return fd >= 0 && poll(&p, 1, 0) == 1 && p.revents != 0;
}

static void record(const struct registration *r, const struct registration_context *c, const char *event,
                   struct span why)
{
    const struct agent_event e = {.event = event,
                                  .by = "jail",
                                  .key = {span_str(r->tenant), span_str(r->agent)},
                                  .why = why,
                                  .jail = span_str(r->jail),
                                  .now_ns = c->utc_ns};

    agents_record(c->agents, &e);
}

/* --- hello ---------------------------------------------------------------- */

/* A name in use by one user's jail is refused to other users, but not to root. */
static bool is_of_another_user(const struct registration *r, const struct registration_context *c,
                               const struct agent_message *m)
{
    for (size_t i = 0; i < REGISTRATIONS_MAX && r->uid != 0; i++) {
        const struct registration *other = &c->all->items[i];
        bool is_there = other->stage == REGISTRATION_LIVE || other->stage == REGISTRATION_DETACHED;
        if (is_there && strcmp(other->agent, m->agent) == 0 && strcmp(other->tenant, m->tenant) == 0 &&
            other->uid != r->uid) {
            return true;
        }
    }
    return false;
}

/* NULL: it may; else why not. */
static const char *objection(const struct registration *r, const struct registration_context *c,
                             const struct agent_message *m,
                             const struct agent_handles *h)
{
    const struct agent_key key = {span_str(m->tenant), span_str(m->agent)};
    struct agent_account account;

    bool is_detached = m->lease_ms == 0 && h->fds[AGENT_HANDLE_LAUNCHER] < 0;
    bool is_jail = h->fds[AGENT_HANDLE_INIT] >= 0 && h->fds[AGENT_HANDLE_LAUNCHER] >= 0;
    bool can_end = h->fds[AGENT_HANDLE_INIT] >= 0 ||
                   (h->fds[AGENT_HANDLE_KILL] >= 0 && h->fds[AGENT_HANDLE_EVENTS] >= 0);

    if (m->agent[0] == '\0' || (!is_detached && (m->lease_ms < LEASE_MIN_MS || m->lease_ms > LEASE_MAX_MS))) {
        return "an agent's name and a lease from 200ms to 1h expected";
    }
    if (!can_end || (!is_detached && !is_jail) || !agent_handles_are_right(h)) {
        return "pidfds of launcher and init and files of control groups expected";
    }
    if (is_of_another_user(r, c, m)) {
        return "another user has registered that agent";
    }
    (void)ledger_look(c->agents->ledger, c->violations, &key, c->utc_ns, &account);
    return agent_state_is_stopped(account.state) ? "the agent is stopped; an operator can revive it" : NULL;
}

/* What was ordered for the agent before holds for this jail as well. An order that was given since the objections were looked for, and did not
 * find the jail among the killer's, has changed the account before. */
static void follow_account(const struct registration *r, const struct registration_context *c, const struct agent_key *key)
{
    struct agent_account account;

    (void)ledger_look(c->agents->ledger, c->violations, key, c->utc_ns, &account);
    if (agent_state_is_stopped(account.state)) {
        killer_order_slot(c->agents->killer, r->slot, ORDER_CUT | ORDER_KILL, "the agent was stopped while it registered");
    } else if ((account.standing & REACTION_CUT_NETWORK) != 0) {
        killer_order_slot(c->agents->killer, r->slot, ORDER_CUT, "the agent's network was cut before");
    }
}

/* False when all slots are taken. */
static bool accept_jail(struct registration *r, const struct registration_context *c, const struct agent_message *m,
                        struct agent_handles *h)
{
    const struct agent_key key = {span_str(m->tenant), span_str(m->agent)};
    struct jail_kill_target target;
    int cut = h->fds[AGENT_HANDLE_CUT];

    r->launcher = h->fds[AGENT_HANDLE_LAUNCHER];
    h->fds[AGENT_HANDLE_CUT] = h->fds[AGENT_HANDLE_LAUNCHER] = -1;
    if (cut >= 0) {
        (void)fcntl(cut, F_SETFL, O_NONBLOCK); /* a kill thread must not block on it */
    }
    agent_handles_take(h, &target);
    r->slot = killer_add(c->agents->killer, &key, &target, cut);
    if (r->slot < 0) {
        jail_kill_close(&target);
        cleanup_fd(&cut);
        return false;
    }
    follow_account(r, c, &key);
    r->init = target.pidfd;
    memcpy(r->agent, m->agent, sizeof(r->agent));
    memcpy(r->tenant, m->tenant, sizeof(r->tenant));
    memcpy(r->jail, m->jail, sizeof(r->jail));
    r->lease_ns = (uint64_t)m->lease_ms * 1000000;
    r->due_ns = c->now_ns;
    r->stage = m->lease_ms == 0 ? REGISTRATION_DETACHED : REGISTRATION_LIVE;
    return true;
}

/* Most names are shown unchanged: then the span is the buffer itself. */
static void set_name(char to[AGENT_WIRE_NAME], struct span name)
{
    if (name.ptr != to) {
        (void)snprintf(to, AGENT_WIRE_NAME, SPAN_FMT, SPAN_ARG(name));
    }
}

/* The agent's names as they may be shown, in place of what the launcher said. */
static bool show_names(const struct registration_context *c, struct agent_message *m)
{
    struct identity who = {.tenant = span_str(m->tenant), .app = span_str(m->jail), .agent = span_str(m->agent)};
    struct arena memory CLEANUP(arena_deinit);
    struct filter_fault fault;

    arena_init(&memory, 0, NAMES_MEMORY);
    if (!identity_show(c->identities, c->snapshot, &memory, &who, &fault)) {
        return false;
    }
    set_name(m->tenant, who.tenant);
    set_name(m->jail, who.app);
    set_name(m->agent, who.agent);
    return true;
}

static void take_hello(struct registration *r, const struct registration_context *c, struct agent_message *m,
                       struct agent_handles *h)
{
    struct agent_message answer;
    const char *why = show_names(c, m) ? objection(r, c, m, h)
                                       : "names without control, invisible and bidirectional characters expected";

    if (why == NULL && !accept_jail(r, c, m, h)) {
        why = "filterd has no room for another jail";
    }
    agent_handles_close(h);
    agent_message_init(&answer, why == NULL ? WIRE_WELCOME : WIRE_REFUSED);
    (void)snprintf(answer.text, sizeof(answer.text), "%s", why == NULL ? "" : why);
    bool is_sent = agent_message_send(r->fd, &answer, NULL);
    if (why == NULL) {
        record(r, c, r->stage == REGISTRATION_DETACHED ? "attach" : "register", (struct span){0});
    }
    if (r->stage == REGISTRATION_DETACHED) {
        cleanup_fd(&r->fd);
        r->fd = -1;
    } else if (why != NULL || !is_sent) {
        hang_up(r);
    }
}

/* --- messages ------------------------------------------------------------- */

/* The reason that a jail reports may hold text of its agent, as a host name that it requested. */
static struct span reason(const struct registration_context *c, struct arena *a, const char *text)
{
    struct span why = span_str(text);
    struct filter_fault fault;

    return identity_show_text(c->identities, c->snapshot, a, &why, &fault) ? why : span_str("");
}

static void take_violation(const struct registration *r, const struct registration_context *c,
                           const struct agent_message *m)
{
    const struct agent_key key = {span_str(r->tenant), span_str(r->agent)};
    enum violation kind = VIOLATION_LIMIT;
    struct arena memory CLEANUP(arena_deinit);
    struct error err;

    arena_init(&memory, 0, NAMES_MEMORY);
    if (!violation_find(span_str(m->word), &kind)) {
        record(r, c, "unknown_violation", reason(c, &memory, m->word));
        return;
    }
    const struct agents_cause cause = {"jail", reason(c, &memory, m->text), c->utc_ns};
    if (!agents_report(c->agents, c->violations, &key, kind, &cause, &err)) {
        /* A violation that cannot be counted could repeat without limit, so the agent is killed. */
        killer_order_slot(c->agents->killer, r->slot, ORDER_CUT | ORDER_KILL, "the ledger is full");
    }
}

/* The launcher has ended or does not answer: what is left of the jail is killed. */
static void lose(struct registration *r, const struct registration_context *c, const char *why)
{
    if (r->stage == REGISTRATION_LIVE && !is_ready(r->init)) {
        killer_order_slot(c->agents->killer, r->slot, ORDER_CUT | ORDER_KILL, why);
    }
    if (r->stage == REGISTRATION_LIVE) {
        record(r, c, "leave", span_str(why));
    }
    hang_up(r);
}

static void take_message(struct registration *r, const struct registration_context *c, struct agent_message *m,
                         struct agent_handles *h)
{
    bool is_new = r->stage == REGISTRATION_NEW;

    if (is_new && m->kind == WIRE_HELLO) {
        take_hello(r, c, m, h);
        return;
    }
    agent_handles_close(h);
    if (!is_new && m->kind == WIRE_VIOLATION) {
        take_violation(r, c, m);
    } else if (!is_new && m->kind == WIRE_GOODBYE) {
        lose(r, c, "unregistered"); /* kills what still runs, in case the launcher is wrong */
    } else {
        lose(r, c, "protocol error");
    }
}

static void take_messages(struct registration *r, const struct registration_context *c)
{
    struct agent_handles handles;
    struct agent_message m;

    for (int i = 0; i < MESSAGES_AT_ONCE && (r->stage == REGISTRATION_NEW || r->stage == REGISTRATION_LIVE); i++) {
        enum agent_received received = agent_message_receive(r->fd, &m, &handles);
        if (received == AGENT_NOTHING) {
            return;
        }
        if (received == AGENT_RECEIVED) {
            take_message(r, c, &m, &handles);
        } else {
            lose(r, c, received == AGENT_CLOSED ? "the launcher is gone" : "protocol error");
        }
    }
}

/* --- leases --------------------------------------------------------------- */

/* A launcher that no longer reads its messages hangs, and does not enforce the jail's limits: the jail is killed. */
static void renew(struct registration *r, const struct registration_context *c)
{
    struct agent_message m;

    agent_message_init(&m, WIRE_LEASE);
    r->due_ns = c->now_ns + r->lease_ns / REGISTRATION_LEASES;
    if (!agent_message_send(r->fd, &m, NULL)) {
        lose(r, c, "the launcher does not take its lease");
    }
}

void registration_serve(struct registration *r, const struct registration_context *c)
{
    take_messages(r, c);
    if (r->stage == REGISTRATION_DETACHED && killer_is_over(c->agents->killer, r->slot)) {
        record(r, c, "leave", span_str("it has ended"));
        r->stage = REGISTRATION_LEAVING;
    }
    if (r->stage == REGISTRATION_LIVE && is_ready(r->launcher)) {
        lose(r, c, "the launcher is gone");
    }
    if (r->stage == REGISTRATION_LIVE && c->now_ns >= r->due_ns) {
        renew(r, c);
    }
    if (r->stage == REGISTRATION_NEW && c->now_ns >= r->due_ns) {
        hang_up(r);
    }
    if (r->stage == REGISTRATION_LEAVING && killer_remove(c->agents->killer, r->slot)) {
        *r = (struct registration){.stage = REGISTRATION_NONE, .fd = -1, .launcher = -1, .init = -1, .slot = -1};
    }
}

/* The launcher's kill comes on top of the killer's; whether the message arrives does not matter. */
static void notify(const struct registration *r, enum agent_message_kind kind, const char *why)
{
    struct agent_message m;

    if (r->stage == REGISTRATION_LIVE) {
        agent_message_init(&m, kind);
        (void)snprintf(m.text, sizeof(m.text), "%s", why);
        (void)!agent_message_send(r->fd, &m, NULL);
    }
}

void registration_notify_kill(const struct registration *r, const char *why)
{
    notify(r, WIRE_KILLED, why);
}

void registration_notify_outcome(const struct registration *r, const struct kill_outcome *o)
{
    if ((o->orders & (ORDER_KILL | ORDER_CUT)) == ORDER_CUT) {
        notify(r, WIRE_CUT, o->why);
    }
}
