#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "fleet/fleet_parts.h"

enum { BEAT_MS = 1000, ENDING_MS = 5, MESSAGES_AT_ONCE = 512, SOCKET_MODE = 0600 };

/* --- the connection -------------------------------------------------------------------------- */

void fleet_disconnect(struct fleet *f, const char *why)
{
    if (f->connection >= 0) {
        (void)close(f->connection);
        log_warn("fleet: no contact: %s", why);
    }
    f->connection = -1;
    f->stage = FLEET_NONE;
    f->is_full = false;
    atomic_store(&f->is_current, false);
    memset(f->endings, 0, sizeof(f->endings)); /* the orders come again */
    f->n_endings = 0;
}

bool fleet_send(struct fleet *f, const struct link_message *m)
{
    if (f->connection < 0 || f->is_full) {
        return false;
    }
    enum link_sent sent = link_message_send(f->connection, m);
    f->is_full = sent == LINK_FULL;
    if (sent == LINK_BROKEN) {
        fleet_disconnect(f, "filterd-link has closed the connection");
    }
    return sent == LINK_SENT;
}

/* The newest is right: a filterd-link that was killed may still seem to be there. Only this user reaches the socket. */
static void admit(struct fleet *f)
{
    int fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0) {
        return;
    }
    if (f->stage > FLEET_ACCEPTED) {
        fleet_disconnect(f, "another filterd-link has connected");
    }
    if (f->connection >= 0) {
        (void)close(f->connection);
    }
    f->connection = fd;
    f->stage = FLEET_ACCEPTED;
    f->is_full = false;
}

static void hear(struct fleet *f)
{
    enum link_received received = LINK_NOTHING;
    struct link_message m;

    for (int i = 0; i < MESSAGES_AT_ONCE && f->connection >= 0; i++) {
        received = link_message_receive(f->connection, &m);
        if (received != LINK_RECEIVED) {
            break;
        }
        if (!fleet_take(f, &m)) {
            fleet_disconnect(f, "filterd-link sends what was not expected");
            return;
        }
    }
    if (received == LINK_CLOSED && f->connection >= 0) {
        if (f->stage == FLEET_ACCEPTED) { /* it has no database */
            (void)close(f->connection);
            f->connection = -1;
            f->stage = FLEET_NONE;
        } else {
            fleet_disconnect(f, "filterd-link has closed the connection");
        }
    }
}

/* --- what is due ----------------------------------------------------------------------------- */

static void send_claims(struct fleet *f)
{
    struct link_message m;

    while (claims_next(&f->claims, &m)) {
        if (!fleet_send(f, &m)) {
            return;
        }
        claims_set_sent(&f->claims, m.id);
    }
    link_message_init(&m, LINK_SYNC);
    if (f->stage == FLEET_GREETED && fleet_send(f, &m)) {
        f->stage = FLEET_SYNCING;
    }
}

static void send_reviews(struct fleet *f)
{
    struct link_message m;

    while (f->reviews != NULL && review_orders_next(f->reviews, &m) && fleet_send(f, &m)) {
        review_orders_set_sent(f->reviews, &m);
    }
}

static void beat(struct fleet *f, int64_t now_ms)
{
    struct link_message m;

    if (now_ms - f->beat_ms < BEAT_MS) {
        return;
    }
    link_message_init(&m, LINK_BEAT);
    m.lines = f->owner.lines == NULL ? 0 : f->owner.lines(f->owner.context);
    (void)link_text_set(m.text, sizeof(m.text), span_str(f->owner.version == NULL ? "" : f->owner.version));
    f->beat_ms = fleet_send(f, &m) ? now_ms : f->beat_ms;
    link_message_init(&m, LINK_POLICY);
    if (rollouts_state(f->rollouts, &m)) {
        (void)fleet_send(f, &m);
    }
}

static void record_late(struct fleet *f, int64_t now_ms)
{
    bool is_lost = f->stage != FLEET_CURRENT;
    struct claim c;

    while (claims_next_unrecorded(&f->claims, is_lost, now_ms, &c)) {
        (void)atomic_fetch_add(&f->claims_late, 1);
        fleet_record_claim(f, &c);
    }
}

/* Other nodes take the end of this lease for the end of its jails. Called repeatedly, as more may have registered. */
static void end_jails(struct fleet *f)
{
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
    struct killer *killer = f->owner.agents->killer;

    for (int slot = 0; (slot = killer_at(killer, slot, tenant, agent)) >= 0; slot++) {
        killer_order_slot(killer, slot, ORDER_CUT | ORDER_KILL, "filterd.store-lost");
    }
}

static void do_due(struct fleet *f)
{
    int64_t now_ms = clock_monotonic_ms();

    record_late(f, now_ms);
    if (f->stage >= FLEET_GREETED) {
        beat(f, now_ms);
        send_claims(f);
        fleet_acknowledge(f);
    }
    if (f->stage == FLEET_CURRENT) {
        fleet_send_parts(f);
        fleet_look(f, now_ms);
        send_reviews(f);
    }
    if (fleet_contact(f) == FLEET_BLOCKS) {
        end_jails(f);
    }
}

static int wait_ms(struct fleet *f)
{
    int wait = f->n_endings > 0 ? ENDING_MS : BEAT_MS / 2;

    return claims_wait_ms(&f->claims, clock_monotonic_ms(), wait);
}

static void leave(struct fleet *f)
{
    struct link_message m;

    link_message_init(&m, LINK_GOODBYE);
    if (f->stage == FLEET_CURRENT) {
        f->is_full = false;
        (void)fleet_send(f, &m);
    }
}

static void *run(void *context)
{
    struct fleet *f = context;
    uint64_t count;

    for (;;) {
        struct pollfd polled[] = {{.fd = f->stop, .events = POLLIN},
                                  {.fd = f->wake, .events = POLLIN},
                                  {.fd = f->listener, .events = POLLIN},
                                  {.fd = f->connection, .events = (short)(f->is_full ? POLLIN | POLLOUT : POLLIN)}};
        if (poll(polled, COUNT(polled), wait_ms(f)) < 0 && errno != EINTR) {
            const struct timespec pause = {.tv_nsec = 10000000};
            (void)nanosleep(&pause, NULL); /* out of memory */
        }
        if (polled[0].revents != 0) {
            leave(f);
            return NULL;
        }
        (void)!read(f->wake, &count, sizeof(count));
        f->is_full = f->is_full && (polled[3].revents & POLLOUT) == 0;
        if (polled[3].revents != 0) {
            hear(f);
        }
        if (polled[2].revents != 0) {
            admit(f);
        }
        do_due(f);
    }
}

/* --- for others ------------------------------------------------------------------------------ */

static void wake(void *context)
{
    const struct fleet *f = context;
    const uint64_t one = 1;

    (void)!write(f->wake, &one, sizeof(one));
}

void fleet_look_at_status(struct fleet *f, struct fleet_status *out)
{
    (void)pthread_mutex_lock(&f->status.lock);
    *out = f->status.now;
    (void)pthread_mutex_unlock(&f->status.lock);
}

void fleet_stop_reviews(struct fleet *f)
{
    if (f != NULL && f->reviews != NULL) {
        review_orders_stop(f->reviews);
    }
}

enum fleet_placed fleet_place_review(struct fleet *f, const char *note, unsigned settle_ms, struct fleet_review *out)
{
    bool is_possible = f != NULL && f->reviews != NULL && atomic_load(&f->is_current);

    return is_possible ? review_orders_place(f->reviews, note, settle_ms, out) : FLEET_NOT_PLACED;
}

size_t fleet_reviews(struct fleet *f, struct span node, struct fleet_review *out, size_t max)
{
    return f == NULL || f->reviews == NULL ? 0 : review_orders_known(f->reviews, node, out, max);
}

/* --- life ------------------------------------------------------------------------------------ */

static bool open_all(struct fleet *f, struct error *err)
{
    f->seen = calloc(LEDGER_MAX_DEFAULT, sizeof(*f->seen));
    if (f->seen == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "fleet: no memory");
    }
    f->rollouts = f->owner.bundles.bundled == NULL ? NULL : rollouts_open(&f->owner.bundles, err);
    if (f->owner.bundles.bundled != NULL && f->rollouts == NULL) {
        return false;
    }
    f->reviews = f->owner.reviews.carry_out == NULL ? NULL : review_orders_open(&f->owner.reviews, wake, f, err);
    if (f->owner.reviews.carry_out != NULL && f->reviews == NULL) {
        return false;
    }
    f->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    f->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (f->stop < 0 || f->wake < 0) {
        return error_errno(err, "fleet");
    }
    return address_listen_packets(&f->address, SOCKET_MODE, &f->listener, err);
}

struct fleet *fleet_open(const struct fleet_owner *owner, const struct address *a, struct error *err)
{
    struct fleet *f = calloc(1, sizeof(*f));

    if (f == NULL) {
        error_set(err, ERROR_NO_MEMORY, "fleet: no memory");
        return NULL;
    }
    f->owner = *owner;
    f->address = *a;
    f->listener = f->connection = f->stop = f->wake = -1;
    f->looking_at = LEDGER_MAX_DEFAULT;
    claims_init(&f->claims);
    (void)pthread_mutex_init(&f->status.lock, NULL);
    if (!open_all(f, err)) {
        fleet_close(f);
        return NULL;
    }
    owner->agents->fleet = (struct agents_fleet){.context = f, .wake = wake, .claim = fleet_claim, .lift = fleet_lift};
    return f;
}

bool fleet_start(struct fleet *f, struct error *err)
{
    f->is_running = (f->rollouts == NULL || rollouts_start(f->rollouts, err)) && (f->reviews == NULL || review_orders_start(f->reviews, err)) &&
                    thread_start(&f->thread, run, f, err);
    return f->is_running;
}

void fleet_close(struct fleet *f)
{
    const uint64_t one = 1;

    if (f == NULL) {
        return;
    }
    f->owner.agents->fleet = (struct agents_fleet){.context = NULL};
    if (f->is_running) {
        (void)!write(f->stop, &one, sizeof(one));
        (void)pthread_join(f->thread, NULL);
    }
    rollouts_close(f->rollouts);
    review_orders_close(f->reviews);
    atomic_store(&f->is_current, false);
    f->stage = FLEET_NONE;
    record_late(f, clock_monotonic_ms());
    if (f->listener >= 0) {
        (void)unlink(f->address.socket.local.sun_path);
    }
    cleanup_fd(&f->listener);
    cleanup_fd(&f->connection);
    cleanup_fd(&f->stop);
    cleanup_fd(&f->wake);
    claims_deinit(&f->claims);
    (void)pthread_mutex_destroy(&f->status.lock);
    free(f->seen);
    free(f);
}
