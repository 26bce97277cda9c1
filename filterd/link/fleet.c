#include "link/fleet.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "link/metrics.h"

enum { PAUSE_MIN_MS = 200, PAUSE_MAX_MS = 2000, COMPLAIN_MS = 60000, TICK_MS = 1000, OPEN_MS = 50, TIDY_MS = 60000 };
enum { FILTERD_REPLY_MS = 3000, ALIVE_MS = 2500, BATCHES_AT_ONCE = 4 };

/* --- filterd's side ---------------------------------------------------------------------- */

static bool wait_for(int fd, short events, int64_t until_ms)
{
    struct pollfd one = {.fd = fd, .events = events};
    int64_t left_ms = until_ms - clock_monotonic_ms();

    return left_ms > 0 && (poll(&one, 1, (int)left_ms) >= 0 || errno == EINTR);
}

static bool give(void *context, const struct link_message *m, struct error *err)
{
    struct link_fleet *f = context;
    int64_t until_ms = clock_monotonic_ms() + FILTERD_REPLY_MS;
    enum link_sent sent;

    while ((sent = link_message_send(f->filterd, m)) == LINK_FULL && wait_for(f->filterd, POLLOUT, until_ms)) {
    }
    if (m->kind == LINK_ORDER || m->kind == LINK_STANDING) {
        (void)atomic_fetch_add(&f->orders, 1);
    }
    return sent == LINK_SENT || error_set(err, ERROR_SYSTEM, "filterd does not take what is sent");
}

static bool greet(struct link_fleet *f, struct error *err)
{
    int64_t until_ms = clock_monotonic_ms() + FILTERD_REPLY_MS;
    enum link_received received;
    struct link_message m;

    link_message_init(&m, LINK_HELLO);
    (void)link_text_set(m.node, sizeof(m.node), span_str(f->store.node));
    if (!give(f, &m, err)) {
        return false;
    }
    while ((received = link_message_receive(f->filterd, &m)) == LINK_NOTHING && wait_for(f->filterd, POLLIN, until_ms)) {
    }
    if (received != LINK_RECEIVED || m.kind != LINK_HELLO) {
        return error_set(err, ERROR_INVALID, "filterd does not answer as this version does");
    }
    f->lease_ns = m.lease_ns;
    f->beat_ms = clock_monotonic_ms();
    return fleet_store_begin_after(&f->store, m.order, err);
}

/* --- what filterd says ------------------------------------------------------------------- */

static bool exchange(struct link_fleet *f, struct error *err)
{
    if (f->n == 0) {
        return true;
    }
    size_t n = f->n;
    f->n = 0;
    if (!fleet_store_exchange(&f->store, f->batch, n, err)) {
        return false;
    }
    (void)atomic_fetch_add(&f->parts, n);
    for (size_t i = 0; i < n; i++) {
        if (link_message_is_valid(&f->batch[i]) && !give(f, &f->batch[i], err)) {
            return false;
        }
    }
    return true;
}

static bool take_part(struct link_fleet *f, struct link_message *m, struct error *err)
{
    f->batch[f->n++] = *m;
    return f->n < FLEET_BATCH_MAX || exchange(f, err);
}

static bool take_claim(struct link_fleet *f, struct link_message *m, struct error *err)
{
    if (!fleet_store_claim(&f->store, m, err)) {
        return false;
    }
    f->has_open = f->has_open || m->order > 0;
    f->is_due = f->is_due || m->order > 0;
    return give(f, m, err);
}

static bool take_ack(struct link_fleet *f, struct link_message *m, struct error *err)
{
    (void)atomic_fetch_add(&f->acknowledged, 1);
    return fleet_store_acknowledge(&f->store, m, err);
}

static bool take_sync(struct link_fleet *f, struct link_message *m, struct error *err)
{
    (void)m;
    f->has_open = true;
    return fleet_store_sync(&f->store, give, f, err);
}

static bool take_beat(struct link_fleet *f, struct link_message *m, struct error *err)
{
    (void)err;
    f->beat_ms = clock_monotonic_ms();
    f->said = *m;
    return true;
}

static bool take_policy(struct link_fleet *f, struct link_message *m, struct error *err)
{
    return link_bundles_hear(&f->bundles, &f->store, m, err);
}

static bool take_review(struct link_fleet *f, struct link_message *m, struct error *err)
{
    return link_reviews_place(&f->reviews, &f->store, m, give, f, err);
}

static bool take_settled(struct link_fleet *f, struct link_message *m, struct error *err)
{
    return link_reviews_settle(&f->reviews, &f->store, m, err);
}

static bool take_goodbye(struct link_fleet *f, struct link_message *m, struct error *err)
{
    (void)m;
    f->has_left = true;
    return fleet_store_leave(&f->store, err);
}

static bool take(struct link_fleet *f, struct link_message *m, struct error *err)
{
    static bool (*const takes[LINK_KINDS])(struct link_fleet *, struct link_message *, struct error *) = {
        [LINK_BEAT] = take_beat, [LINK_GOODBYE] = take_goodbye, [LINK_PART] = take_part, [LINK_LOOK] = take_part,
        [LINK_CLAIM] = take_claim, [LINK_ACK] = take_ack, [LINK_SYNC] = take_sync, [LINK_POLICY] = take_policy,
        [LINK_REVIEW_PLACE] = take_review, [LINK_REVIEW_SETTLED] = take_settled,
    };

    return takes[m->kind] != NULL ? takes[m->kind](f, m, err) : error_set(err, ERROR_INVALID, "filterd sends what is not for here");
}

static bool hear_filterd(struct link_fleet *f, struct error *err)
{
    enum link_received received = LINK_NOTHING;
    struct link_message m;

    for (int i = 0; i < BATCHES_AT_ONCE * FLEET_BATCH_MAX && !f->has_left; i++) {
        received = link_message_receive(f->filterd, &m);
        if (received != LINK_RECEIVED) {
            break;
        }
        if (!take(f, &m, err)) {
            return false;
        }
    }
    return received == LINK_CLOSED ? error_set(err, ERROR_SYSTEM, "filterd has closed the connection") : exchange(f, err);
}

/* --- the database's side ----------------------------------------------------------------- */

/* Only while filterd works: a hanging one must not count as alive. CONTACT has the time before the heartbeat: what the others take
 * for the end of the lease is never earlier than what filterd does. */
static bool beat(struct link_fleet *f, int64_t now_ms, struct error *err)
{
    struct link_message m;

    f->notified_ms = now_ms;
    if (now_ms - f->beat_ms > ALIVE_MS) {
        return error_set(err, ERROR_SYSTEM, "filterd does not say that it works");
    }
    link_message_init(&m, LINK_CONTACT);
    m.at_ns = (int64_t)clock_monotonic_ns();
    return fleet_store_beat(&f->store, f->lease_ns, &f->said, &m.nodes, err) && give(f, &m, err);
}

static bool look_at_results(struct link_fleet *f, int64_t now_ms, struct error *err)
{
    f->looked_ms = now_ms;
    return fleet_store_results(&f->store, give, f, &f->has_open, err);
}

static bool do_due(struct link_fleet *f, struct error *err)
{
    int64_t now_ms = clock_monotonic_ms();
    bool is_tick = now_ms - f->notified_ms >= TICK_MS;

    if (is_tick && !beat(f, now_ms, err)) {
        return false;
    }
    if ((is_tick || f->is_due || link_bundles_is_busy(&f->bundles)) && !link_bundles_step(&f->bundles, &f->store, give, f, err)) {
        return false;
    }
    if (is_tick && !link_status_step(&f->status, &f->store, give, f, err)) {
        return false;
    }
    if (is_tick || f->is_due) {
        bool is_announced = f->is_due;
        f->is_due = false;
        if (!fleet_store_orders(&f->store, give, f, err) || !link_reviews_step(&f->reviews, &f->store, is_announced, give, f, err)) {
            return false;
        }
    }
    if (now_ms - f->looked_ms >= (f->has_open ? OPEN_MS : TICK_MS) && !look_at_results(f, now_ms, err)) {
        return false;
    }
    if (now_ms - f->tidied_ms < TIDY_MS) {
        return true;
    }
    f->tidied_ms = now_ms;
    return fleet_store_tidy(&f->store, err) && link_reviews_tidy(&f->reviews, &f->store, err);
}

/* Until one side fails, or it is to stop: then true. */
static bool serve(struct link_fleet *f, struct error *err)
{
    while (!f->has_left) {
        struct pollfd polled[] = {{.fd = f->stop, .events = POLLIN},
                                  {.fd = f->filterd, .events = POLLIN},
                                  {.fd = PQsocket(f->store.session.connection), .events = POLLIN}};
        fleet_store_take_announcements(&f->store, &f->is_due);
        int64_t next_ms = f->is_due || link_bundles_is_busy(&f->bundles) ? 0 : f->has_open ? OPEN_MS : TICK_MS - (clock_monotonic_ms() - f->notified_ms);
        if (poll(polled, COUNT(polled), next_ms < 0 ? 0 : (int)next_ms) < 0 && errno != EINTR) {
            return error_errno(err, "waiting");
        }
        if (polled[0].revents != 0) {
            return true;
        }
        if ((polled[1].revents != 0 && !hear_filterd(f, err)) ||
            (polled[2].revents != 0 && !fleet_store_hear(&f->store, &f->is_due, err)) || (!f->has_left && !do_due(f, err))) {
            return false;
        }
    }
    return error_set(err, ERROR_SYSTEM, "filterd stops");
}

/* --- again and again ----------------------------------------------------------------------- */

static void end(struct link_fleet *f)
{
    atomic_store(&f->is_connected, false);
    cleanup_fd(&f->filterd);
    f->filterd = -1;
    f->n = 0;
    link_session_end(&f->store.session);
}

static bool connect_and_serve(struct link_fleet *f, struct error *err)
{
    f->notified_ms = f->tidied_ms = f->looked_ms = 0;
    f->has_open = f->is_due = f->has_left = false;
    link_message_init(&f->said, LINK_BEAT);
    link_bundles_begin(&f->bundles);
    f->status = (struct link_status){.given_ms = 0};
    f->filterd = link_wire_connect(f->socket, err); /* filterd sees that only when it is greeted */
    if (f->filterd < 0 || !fleet_store_connect(&f->store, err) || !link_reviews_begin(&f->reviews, &f->store, err) || !greet(f, err)) {
        return false;
    }
    atomic_store(&f->is_connected, true);
    f->pause_ms = f->complained_ms = 0;
    log_info("link: in contact with the fleet node=%s", f->store.node);
    return serve(f, err);
}

static void complain(struct link_fleet *f, const struct error *err)
{
    int64_t now_ms = clock_monotonic_ms();

    (void)atomic_fetch_add(&f->failures, 1);
    if (f->complained_ms == 0 || now_ms - f->complained_ms >= COMPLAIN_MS) {
        f->complained_ms = now_ms;
        log_warn("link: fleet: %s: it is tried again", err->text);
    }
}

static int next_pause(struct link_fleet *f)
{
    uint32_t random = 0;

    f->pause_ms = f->pause_ms == 0 ? PAUSE_MIN_MS : f->pause_ms * 2 < PAUSE_MAX_MS ? f->pause_ms * 2 : PAUSE_MAX_MS;
    (void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
    return (int)(f->pause_ms / 2 + random % (f->pause_ms / 2 + 1));
}

static void *run(void *context)
{
    struct link_fleet *f = context;
    struct pollfd stop = {.fd = f->stop, .events = POLLIN};
    struct error err = {.text = ""};

    while (!connect_and_serve(f, &err)) {
        end(f);
        complain(f, &err);
        if (poll(&stop, 1, next_pause(f)) > 0) {
            return NULL;
        }
    }
    end(f);
    return NULL;
}

bool link_fleet_start(struct link_fleet *f, const struct link_config *config, const struct link_database *database, struct error *err)
{
    f->socket = config->filterd;
    f->bundles.folder = config->bundles;
    f->reviews.is_console = config->copies != NULL;
    f->filterd = f->stop = -1;
    if (f->socket == NULL) {
        return true;
    }
    fleet_store_init(&f->store, database, config->node);
    f->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (f->stop < 0) {
        return error_errno(err, "link: fleet");
    }
    f->is_running = thread_start(&f->thread, run, f, err);
    return f->is_running;
}

void link_fleet_stop(struct link_fleet *f)
{
    const uint64_t one = 1;

    if (f->is_running) {
        (void)!write(f->stop, &one, sizeof(one));
        (void)pthread_join(f->thread, NULL);
        f->is_running = false;
        link_bundles_deinit(&f->bundles);
    }
    if (f->socket != NULL) {
        cleanup_fd(&f->stop);
    }
}

bool link_fleet_put_metrics(const struct link_fleet *f, struct buf *out, struct error *err)
{
    const struct link_metric metrics[] = {
        {"fleet_connected", "gauge", "1 while this node is in contact with the fleet.", atomic_load(&f->is_connected)},
        {"fleet_parts_total", "counter", "Parts of scores written, and sums of others read.", atomic_load(&f->parts)},
        {"fleet_orders_total", "counter", "Orders given to filterd.", atomic_load(&f->orders)},
        {"fleet_acknowledged_total", "counter", "Orders that filterd has acknowledged.", atomic_load(&f->acknowledged)},
        {"fleet_failures_total", "counter", "Losses of the contact, and attempts that failed.", atomic_load(&f->failures)},
    };

    return f->socket == NULL || link_metrics_put(metrics, COUNT(metrics), out, err);
}
