#include "http/guest.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { HELLO_NS = 2000000000, LEASE_MIN_MS = 200, LEASE_MAX_MS = 3600000, MESSAGES_AT_ONCE = 32, NAMES_MEMORY = 4096 };

bool guests_add(struct guests *all, int fd, uint64_t now_ns)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0) {
        return false;
    }
    for (size_t i = 0; i < GUESTS_MAX; i++) {
        struct guest *g = &all->items[i];
        if (g->stage == GUEST_NONE) {
            *g = (struct guest){.stage = GUEST_NEW, .fd = fd, .launcher = -1, .init = -1, .place = -1,
                                .uid = peer.uid, .due_ns = now_ns + HELLO_NS};
            return true;
        }
    }
    return false;
}

static void hang_up(struct guest *g)
{
    cleanup_fd(&g->fd);
    cleanup_fd(&g->launcher);
    g->fd = g->launcher = -1;
    g->stage = g->place < 0 ? GUEST_NONE : GUEST_LEAVING;
}

void guests_deinit(struct guests *all)
{
    for (size_t i = 0; i < GUESTS_MAX; i++) {
        if (all->items[i].stage != GUEST_NONE) {
            hang_up(&all->items[i]);
        }
    }
}

struct guest *guests_at_place(struct guests *all, int place)
{
    for (size_t i = 0; i < GUESTS_MAX; i++) {
        if (all->items[i].stage >= GUEST_LIVE && all->items[i].place == place) {
            return &all->items[i];
        }
    }
    return NULL;
}

int guests_wait_ms(const struct guests *all, uint64_t now_ns, int other)
{
    int wait = other;

    for (size_t i = 0; i < GUESTS_MAX; i++) {
        const struct guest *g = &all->items[i];
        if (g->stage == GUEST_NEW || g->stage == GUEST_LIVE) {
            uint64_t left = g->due_ns > now_ns ? (g->due_ns - now_ns) / 1000000 + 1 : 0;
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

static void record(const struct guest *g, const struct guest_context *c, const char *event, struct span why)
{
    const struct agent_event e = {.event = event,
                                  .by = "jail",
                                  .key = {span_str(g->tenant), span_str(g->agent)},
                                  .why = why,
                                  .jail = span_str(g->jail),
                                  .now_ns = c->utc_ns};

    agents_record(c->agents, &e);
}

/* --- hello ---------------------------------------------------------------- */

/* A name that one user's jail bears is not another user's. */
static bool is_anothers(const struct guest *g, const struct guest_context *c, const struct agent_message *m)
{
    for (size_t i = 0; i < GUESTS_MAX && g->uid != 0; i++) {
        const struct guest *other = &c->all->items[i];
        bool is_there = other->stage == GUEST_LIVE || other->stage == GUEST_DETACHED;
        if (is_there && strcmp(other->agent, m->agent) == 0 && strcmp(other->tenant, m->tenant) == 0 &&
            other->uid != g->uid) {
            return true;
        }
    }
    return false;
}

/* NULL: it may; else why not. */
static const char *objection(const struct guest *g, const struct guest_context *c, const struct agent_message *m,
                             const struct agent_handles *h)
{
    const struct agent_key key = {span_str(m->tenant), span_str(m->agent)};
    struct agent_account account;

    bool is_detached = m->lease_ms == 0 && h->fds[AGENT_HANDLE_LAUNCHER] < 0;
    bool is_jail = h->fds[AGENT_HANDLE_INIT] >= 0 && h->fds[AGENT_HANDLE_LAUNCHER] >= 0;
    bool can_end = h->fds[AGENT_HANDLE_INIT] >= 0 || (h->fds[AGENT_HANDLE_KILL] >= 0 && h->fds[AGENT_HANDLE_EVENTS] >= 0);

    if (m->agent[0] == '\0' || (!is_detached && (m->lease_ms < LEASE_MIN_MS || m->lease_ms > LEASE_MAX_MS))) {
        return "an agent's name and a lease from 200ms to 1h expected";
    }
    if (!can_end || (!is_detached && !is_jail) || !agent_handles_are_right(h)) {
        return "pidfds of launcher and first process and files of control groups expected";
    }
    if (is_anothers(g, c, m)) {
        return "that agent is another user's";
    }
    (void)ledger_look(c->agents->ledger, c->violations, &key, c->utc_ns, &account);
    return agent_state_is_stopped(account.state) ? "the agent is stopped; an operator can revive it" : NULL;
}

/* False when all places are taken. */
static bool settle_in(struct guest *g, const struct guest_context *c, const struct agent_message *m, struct agent_handles *h)
{
    const struct agent_key key = {span_str(m->tenant), span_str(m->agent)};
    struct jail_kill_target target;
    int cut = h->fds[AGENT_HANDLE_CUT];

    g->launcher = h->fds[AGENT_HANDLE_LAUNCHER];
    h->fds[AGENT_HANDLE_CUT] = h->fds[AGENT_HANDLE_LAUNCHER] = -1;
    if (cut >= 0) {
        (void)fcntl(cut, F_SETFL, O_NONBLOCK); /* a killer's thread must not wait for room there */
    }
    agent_handles_take(h, &target);
    g->place = killer_add(c->agents->killer, &key, &target, cut);
    if (g->place < 0) {
        jail_kill_close(&target);
        cleanup_fd(&cut);
        return false;
    }
    g->init = target.pidfd;
    memcpy(g->agent, m->agent, sizeof(g->agent));
    memcpy(g->tenant, m->tenant, sizeof(g->tenant));
    memcpy(g->jail, m->jail, sizeof(g->jail));
    g->lease_ns = (uint64_t)m->lease_ms * 1000000;
    g->due_ns = c->now_ns;
    g->stage = m->lease_ms == 0 ? GUEST_DETACHED : GUEST_LIVE;
    return true;
}

/* Most names are shown as they are, and stand there already. */
static void set_name(char to[AGENT_WIRE_NAME], struct span name)
{
    if (name.ptr != to) {
        (void)snprintf(to, AGENT_WIRE_NAME, SPAN_FMT, SPAN_ARG(name));
    }
}

/* The agent's names as they may be shown, in place of what the launcher said. */
static bool show_names(const struct guest_context *c, struct agent_message *m)
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

static void take_hello(struct guest *g, const struct guest_context *c, struct agent_message *m, struct agent_handles *h)
{
    struct agent_message answer;
    const char *why = show_names(c, m) ? objection(g, c, m, h)
                                       : "names without control, invisible and bidirectional characters expected";

    if (why == NULL && !settle_in(g, c, m, h)) {
        why = "filterd has no room for another jail";
    }
    agent_handles_close(h);
    agent_message_init(&answer, why == NULL ? WIRE_WELCOME : WIRE_REFUSED);
    (void)snprintf(answer.text, sizeof(answer.text), "%s", why == NULL ? "" : why);
    bool is_sent = agent_message_send(g->fd, &answer, NULL);
    if (why == NULL) {
        record(g, c, g->stage == GUEST_DETACHED ? "attach" : "register", (struct span){0});
    }
    if (g->stage == GUEST_DETACHED) {
        cleanup_fd(&g->fd);
        g->fd = -1;
    } else if (why != NULL || !is_sent) {
        hang_up(g);
    }
}

/* --- messages ------------------------------------------------------------- */

/* What a jail tells may hold what its agent wrote, as a host that it asked for. */
static struct span reason(const struct guest_context *c, struct arena *a, const char *text)
{
    struct span why = span_str(text);
    struct filter_fault fault;

    return identity_show_text(c->identities, c->snapshot, a, &why, &fault) ? why : span_str("");
}

static void take_violation(const struct guest *g, const struct guest_context *c, const struct agent_message *m)
{
    const struct agent_key key = {span_str(g->tenant), span_str(g->agent)};
    enum violation kind = VIOLATION_LIMIT;
    struct arena memory CLEANUP(arena_deinit);
    struct error err;

    arena_init(&memory, 0, NAMES_MEMORY);
    if (!violation_find(span_str(m->word), &kind)) {
        record(g, c, "unknown_violation", reason(c, &memory, m->word));
        return;
    }
    const struct agents_cause cause = {"jail", reason(c, &memory, m->text), c->utc_ns};
    if (!agents_report(c->agents, c->violations, &key, kind, &cause, &err)) {
        /* What cannot be counted could go on for ever: the strict end of it. */
        killer_order_place(c->agents->killer, g->place, ORDER_CUT | ORDER_KILL, "the ledger is full");
    }
}

/* Its launcher is gone or mute. What it left running ends. */
static void lose(struct guest *g, const struct guest_context *c, const char *why)
{
    if (g->stage == GUEST_LIVE && !is_ready(g->init)) {
        killer_order_place(c->agents->killer, g->place, ORDER_CUT | ORDER_KILL, why);
    }
    if (g->stage == GUEST_LIVE) {
        record(g, c, "leave", span_str(why));
    }
    hang_up(g);
}

static void take_message(struct guest *g, const struct guest_context *c, struct agent_message *m, struct agent_handles *h)
{
    bool is_new = g->stage == GUEST_NEW;

    if (is_new && m->kind == WIRE_HELLO) {
        take_hello(g, c, m, h);
        return;
    }
    agent_handles_close(h);
    if (!is_new && m->kind == WIRE_VIOLATION) {
        take_violation(g, c, m);
    } else if (!is_new && m->kind == WIRE_GOODBYE) {
        lose(g, c, "goodbye"); /* ends what still runs, should the launcher lie */
    } else {
        lose(g, c, "the launcher speaks another language");
    }
}

static void take_messages(struct guest *g, const struct guest_context *c)
{
    struct agent_handles handles;
    struct agent_message m;

    for (int i = 0; i < MESSAGES_AT_ONCE && (g->stage == GUEST_NEW || g->stage == GUEST_LIVE); i++) {
        enum agent_received received = agent_message_receive(g->fd, &m, &handles);
        if (received == AGENT_NOTHING) {
            return;
        }
        if (received == AGENT_RECEIVED) {
            take_message(g, c, &m, &handles);
        } else {
            lose(g, c, received == AGENT_CLOSED ? "the launcher is gone" : "the launcher speaks another language");
        }
    }
}

/* --- leases --------------------------------------------------------------- */

/* A launcher that takes nothing any more hangs: its limits are not kept, so that the jail ends. */
static void renew(struct guest *g, const struct guest_context *c)
{
    struct agent_message m;

    agent_message_init(&m, WIRE_LEASE);
    g->due_ns = c->now_ns + g->lease_ns / GUEST_LEASES;
    if (!agent_message_send(g->fd, &m, NULL)) {
        lose(g, c, "the launcher does not take its lease");
    }
}

void guest_serve(struct guest *g, const struct guest_context *c)
{
    take_messages(g, c);
    if (g->stage == GUEST_DETACHED && killer_is_over(c->agents->killer, g->place)) {
        record(g, c, "leave", span_str("it has ended"));
        g->stage = GUEST_LEAVING;
    }
    if (g->stage == GUEST_LIVE && is_ready(g->launcher)) {
        lose(g, c, "the launcher is gone");
    }
    if (g->stage == GUEST_LIVE && c->now_ns >= g->due_ns) {
        renew(g, c);
    }
    if (g->stage == GUEST_NEW && c->now_ns >= g->due_ns) {
        hang_up(g);
    }
    if (g->stage == GUEST_LEAVING && killer_remove(c->agents->killer, g->place)) {
        *g = (struct guest){.stage = GUEST_NONE, .fd = -1, .launcher = -1, .init = -1, .place = -1};
    }
}

/* Its own hands are only the second ones. */
static void tell(const struct guest *g, enum agent_message_kind kind, const char *why)
{
    struct agent_message m;

    if (g->stage == GUEST_LIVE) {
        agent_message_init(&m, kind);
        (void)snprintf(m.text, sizeof(m.text), "%s", why);
        (void)!agent_message_send(g->fd, &m, NULL);
    }
}

void guest_tell_kill(const struct guest *g, const char *why)
{
    tell(g, WIRE_KILLED, why);
}

void guest_tell_outcome(const struct guest *g, const struct kill_outcome *o)
{
    if ((o->orders & (ORDER_KILL | ORDER_CUT)) == ORDER_CUT) {
        tell(g, WIRE_CUT, o->why);
    }
}
