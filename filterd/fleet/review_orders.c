#include "fleet/review_orders.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"

enum { PLACE_MS = 3000 };

enum waiting_stage { WAITING_NONE, WAITING_TAKEN, WAITING_AT_WORK, WAITING_SETTLED, WAITING_PLACED };

/* An order to be carried out, what came of it, or an order of this console to be placed. */
struct waiting {
    enum waiting_stage stage;
    uint64_t number; /* in which they came */
    uint64_t id;     /* filterd-link's; of one to be placed 0 */
    struct fleet_outcome outcome;
    char note[LINK_WIRE_NOTE];
};

struct review_orders {
    const struct fleet_reviews *owner;
    void (*wake)(void *);
    void *waken;
    pthread_t thread;
    bool is_running;
    pthread_mutex_t lock;
    pthread_cond_t taken, learnt;
    bool is_stopping; /* guarded by lock, as what follows */
    uint64_t last_number;
    char node[LINK_WIRE_NODE]; /* this one */
    struct waiting waiting[REVIEW_ORDERS_WAITING];
    struct fleet_review known[REVIEW_ORDERS_KNOWN];
    size_t n_known;
};

/* --- with the lock ------------------------------------------------------------------------ */

static struct waiting *oldest(struct review_orders *r, enum waiting_stage stage)
{
    struct waiting *found = NULL;

    for (size_t i = 0; i < REVIEW_ORDERS_WAITING; i++) {
        struct waiting *w = &r->waiting[i];
        if (w->stage == stage && (found == NULL || w->number < found->number)) {
            found = w;
        }
    }
    return found;
}

static struct waiting *find(struct review_orders *r, uint64_t id)
{
    for (size_t i = 0; i < REVIEW_ORDERS_WAITING; i++) {
        if (r->waiting[i].stage != WAITING_NONE && r->waiting[i].stage != WAITING_PLACED && r->waiting[i].id == id) {
            return &r->waiting[i];
        }
    }
    return NULL;
}

static struct waiting *add(struct review_orders *r, enum waiting_stage stage, uint64_t id, const char *note)
{
    struct waiting *w = oldest(r, WAITING_NONE);

    if (w != NULL) {
        w->stage = stage;
        w->number = ++r->last_number;
        w->id = id;
        w->outcome = (struct fleet_outcome){.line = 0};
        (void)link_text_set(w->note, sizeof(w->note), span_str(note));
    }
    return w;
}

static struct fleet_review *find_known(struct review_orders *r, const char *id)
{
    for (size_t i = 0; i < r->n_known; i++) {
        if (strcmp(r->known[i].id, id) == 0) {
            return &r->known[i];
        }
    }
    return NULL;
}

/* The oldest settled one, else the oldest. */
static struct fleet_review *make_room(struct review_orders *r)
{
    struct fleet_review *found = &r->known[0];

    if (r->n_known < REVIEW_ORDERS_KNOWN) {
        return &r->known[r->n_known++];
    }
    for (size_t i = 1; i < r->n_known; i++) {
        struct fleet_review *k = &r->known[i];
        bool is_better = k->is_settled != found->is_settled ? k->is_settled : k->at_ns < found->at_ns;
        found = is_better ? k : found;
    }
    return found;
}

/* --- the thread --------------------------------------------------------------------------- */

static struct waiting *await_order(struct review_orders *r)
{
    struct waiting *w = NULL;

    while (!r->is_stopping && (w = oldest(r, WAITING_TAKEN)) == NULL) {
        (void)pthread_cond_wait(&r->taken, &r->lock);
    }
    return r->is_stopping ? NULL : w;
}

/* What could not be recorded now is forgotten: filterd-link gives it again. */
static void *run(void *context)
{
    struct review_orders *r = context;
    char node[LINK_WIRE_NODE];
    struct waiting *w;

    (void)pthread_mutex_lock(&r->lock);
    while ((w = await_order(r)) != NULL) {
        struct fleet_outcome outcome = {.line = 0};
        w->stage = WAITING_AT_WORK; /* no other thread uses it */
        memcpy(node, r->node, sizeof(node));
        (void)pthread_mutex_unlock(&r->lock);
        bool is_settled = r->owner->carry_out(r->owner->context, node, w->note, &outcome);
        (void)pthread_mutex_lock(&r->lock);
        w->outcome = outcome;
        w->stage = is_settled ? WAITING_SETTLED : WAITING_NONE;
        r->wake(r->waken);
    }
    (void)pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* --- filterd-link ------------------------------------------------------------------------- */

void review_orders_greet(struct review_orders *r, const struct link_message *m)
{
    (void)pthread_mutex_lock(&r->lock);
    memcpy(r->node, m->node, sizeof(r->node));
    (void)pthread_mutex_unlock(&r->lock);
}

void review_orders_take(struct review_orders *r, const struct link_message *m)
{
    (void)pthread_mutex_lock(&r->lock);
    if (find(r, m->id) == NULL && add(r, WAITING_TAKEN, m->id, m->note) != NULL) {
        (void)pthread_cond_signal(&r->taken);
    }
    (void)pthread_mutex_unlock(&r->lock);
}

/* The database can hold anything: an order that no console has signed is none. */
void review_orders_learn(struct review_orders *r, const struct link_message *m)
{
    struct fleet_review review = {.at_ns = m->at_ns, .is_placed = m->id != 0, .is_settled = m->is_done != 0, .line = m->order};

    if (!r->owner->read(r->owner->context, m->note, &review)) {
        return;
    }
    (void)link_text_set(review.why, sizeof(review.why), span_str(m->text));
    (void)pthread_mutex_lock(&r->lock);
    struct fleet_review *known = find_known(r, review.id);
    known = known != NULL ? known : make_room(r);
    *known = review;
    (void)pthread_cond_broadcast(&r->learnt);
    (void)pthread_mutex_unlock(&r->lock);
}

bool review_orders_next(struct review_orders *r, struct link_message *m)
{
    (void)pthread_mutex_lock(&r->lock);
    const struct waiting *settled = oldest(r, WAITING_SETTLED), *placed = oldest(r, WAITING_PLACED);
    if (settled != NULL) {
        link_message_init(m, LINK_REVIEW_SETTLED);
        m->id = settled->id;
        m->order = settled->outcome.line;
        (void)link_text_set(m->text, sizeof(m->text), span_str(settled->outcome.why));
    } else if (placed != NULL) {
        link_message_init(m, LINK_REVIEW_PLACE);
        (void)link_text_set(m->note, sizeof(m->note), span_str(placed->note));
    }
    (void)pthread_mutex_unlock(&r->lock);
    return settled != NULL || placed != NULL;
}

void review_orders_set_sent(struct review_orders *r, const struct link_message *m)
{
    (void)pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < REVIEW_ORDERS_WAITING; i++) {
        struct waiting *w = &r->waiting[i];
        bool is_it = m->kind == LINK_REVIEW_SETTLED ? w->stage == WAITING_SETTLED && w->id == m->id
                                                    : w->stage == WAITING_PLACED && strcmp(w->note, m->note) == 0;
        w->stage = is_it ? WAITING_NONE : w->stage;
    }
    (void)pthread_mutex_unlock(&r->lock);
}

/* --- the console ---------------------------------------------------------------------------- */

/* Whether it is known, settled where `is_settled`, before the time is over. */
static bool await_known(struct review_orders *r, const char *id, bool is_settled, int64_t until_ms)
{
    const struct timespec until = clock_timespec(until_ms * 1000000);
    const struct fleet_review *known;
    bool is_late = false;

    while (((known = find_known(r, id)) == NULL || (is_settled && !known->is_settled)) && !is_late && !r->is_stopping) {
        is_late = pthread_cond_timedwait(&r->learnt, &r->lock, &until) != 0;
    }
    return known != NULL && (!is_settled || known->is_settled);
}

/* True: it was not sent, and will not be. */
static bool take_back(struct review_orders *r, const char *note)
{
    for (size_t i = 0; i < REVIEW_ORDERS_WAITING; i++) {
        struct waiting *w = &r->waiting[i];
        if (w->stage == WAITING_PLACED && strcmp(w->note, note) == 0) {
            w->stage = WAITING_NONE;
            return true;
        }
    }
    return false;
}

enum fleet_placed review_orders_place(struct review_orders *r, const char *note, unsigned settle_ms, struct fleet_review *out)
{
    enum fleet_placed placed = FLEET_NOT_PLACED;

    if (!r->owner->read(r->owner->context, note, out)) {
        return FLEET_NOT_PLACED;
    }
    (void)pthread_mutex_lock(&r->lock);
    bool is_added = add(r, WAITING_PLACED, 0, note) != NULL;
    if (is_added) {
        r->wake(r->waken);
    }
    if (is_added && await_known(r, out->id, false, clock_monotonic_ms() + PLACE_MS)) {
        (void)await_known(r, out->id, true, clock_monotonic_ms() + settle_ms);
        *out = *find_known(r, out->id);
        placed = out->is_settled ? FLEET_SETTLED : FLEET_PLACED;
    } else if (is_added) {
        placed = take_back(r, note) ? FLEET_NOT_PLACED : FLEET_MAY_BE_PLACED;
    }
    (void)pthread_mutex_unlock(&r->lock);
    return placed;
}

size_t review_orders_known(struct review_orders *r, struct span node, struct fleet_review *out, size_t max)
{
    size_t n = 0;

    (void)pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < r->n_known && n < max; i++) {
        if (node.len == 0 || span_is(node, r->known[i].node)) {
            out[n++] = r->known[i];
        }
    }
    (void)pthread_mutex_unlock(&r->lock);
    return n;
}

/* --- life ------------------------------------------------------------------------------------ */

struct review_orders *review_orders_open(const struct fleet_reviews *owner, void (*wake)(void *), void *waken, struct error *err)
{
    struct review_orders *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        error_set(err, ERROR_NO_MEMORY, "review orders: no memory");
        return NULL;
    }
    r->owner = owner;
    r->wake = wake;
    r->waken = waken;
    (void)pthread_mutex_init(&r->lock, NULL);
    (void)pthread_cond_init(&r->taken, NULL);
    (void)condition_init(&r->learnt);
    return r;
}

bool review_orders_start(struct review_orders *r, struct error *err)
{
    r->is_running = thread_start(&r->thread, run, r, err);
    return r->is_running;
}

void review_orders_stop(struct review_orders *r)
{
    (void)pthread_mutex_lock(&r->lock);
    r->is_stopping = true;
    (void)pthread_cond_broadcast(&r->taken);
    (void)pthread_cond_broadcast(&r->learnt);
    (void)pthread_mutex_unlock(&r->lock);
    if (r->is_running) {
        (void)pthread_join(r->thread, NULL);
        r->is_running = false;
    }
}

void review_orders_close(struct review_orders *r)
{
    if (r == NULL) {
        return;
    }
    review_orders_stop(r);
    (void)pthread_cond_destroy(&r->taken);
    (void)pthread_cond_destroy(&r->learnt);
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}
