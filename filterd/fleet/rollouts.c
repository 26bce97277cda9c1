#include "fleet/rollouts.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

struct rollouts {
    const struct fleet_bundles *owner;
    pthread_t thread;
    bool is_running;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_stopping; /* guarded by lock, as all that follows */
    uint64_t fetched, withdrawn;  /* versions to be seen to; 0: none */
    uint64_t refused;             /* the last one fetched was not taken; 0: it was */
    char refusal[LINK_WIRE_TEXT]; /* why */
    uint64_t version;             /* that `before` and begun_ns belong to */
    int64_t begun_ns;             /* UTC */
    struct fleet_counts before;
};

/* With the lock: a version that is in force since the last call is counted from now on. */
static void begin_use(struct rollouts *r, const struct fleet_counts *now)
{
    const uint64_t version = atomic_load(&r->owner->bundled->version);

    if (version != r->version || r->begun_ns == 0) {
        r->version = version;
        r->begun_ns = clock_utc_ns();
        r->before = *now;
    }
}

/* --- the thread -------------------------------------------------------------------------- */

/* Seconds, without the lock. What fails is asked for again as long as it is wanted. */
static void take(struct rollouts *r, uint64_t fetched, uint64_t withdrawn)
{
    struct error err = {.text = ""};
    struct fleet_counts now;

    if (withdrawn != 0 && !r->owner->withdraw(r->owner->context, withdrawn, &err)) {
        log_error("policy bundle: not withdrawn: %s", err.text);
        return;
    }
    bool is_done = r->owner->reload(r->owner->context, &err);
    (void)pthread_mutex_lock(&r->lock);
    r->owner->count(r->owner->context, &now);
    begin_use(r, &now); /* not only at the next report: what it does at once counts */
    r->refused = is_done ? 0 : fetched;
    (void)link_text_set(r->refusal, sizeof(r->refusal), span_str(is_done ? "" : err.text));
    (void)pthread_mutex_unlock(&r->lock);
}

/* False: it is to stop. */
static bool await_work(struct rollouts *r, uint64_t *fetched, uint64_t *withdrawn)
{
    (void)pthread_mutex_lock(&r->lock);
    while (!r->is_stopping && r->fetched == 0 && r->withdrawn == 0) {
        (void)pthread_cond_wait(&r->changed, &r->lock);
    }
    *withdrawn = r->withdrawn;
    *fetched = r->fetched;
    r->withdrawn = r->fetched = 0;
    bool is_stopping = r->is_stopping;
    (void)pthread_mutex_unlock(&r->lock);
    return !is_stopping;
}

static void *run(void *context)
{
    struct rollouts *r = context;
    uint64_t fetched, withdrawn;

    while (await_work(r, &fetched, &withdrawn)) {
        take(r, fetched, withdrawn);
    }
    return NULL;
}

/* --- for the fleet ----------------------------------------------------------------------- */

/* With the lock: how many exchanges are in each bucket since the bundle is in force, separated by blanks. What has no room is left out:
 * longer ones. */
static void put_elapsed(const struct rollouts *r, const struct fleet_counts *now, char *to, size_t size)
{
    size_t at = 0;

    for (size_t i = 0; i < FLEET_ELAPSED; i++) {
        int len = snprintf(to + at, size - at, "%s%" PRIu64, i == 0 ? "" : " ", now->elapsed[i] - r->before.elapsed[i]);
        if (len < 0 || (size_t)len >= size - at) {
            to[at] = '\0';
            return;
        }
        at += (size_t)len;
    }
}

bool rollouts_state(struct rollouts *r, struct link_message *m)
{
    struct fleet_counts now;

    if (r == NULL) {
        return false;
    }
    const struct bundled *b = r->owner->bundled;
    (void)pthread_mutex_lock(&r->lock);
    r->owner->count(r->owner->context, &now);
    begin_use(r, &now);
    m->order = r->version;
    m->id = atomic_load(&b->highest);
    m->until_ns = atomic_load(&b->expires_ns);
    m->at_ns = r->begun_ns;
    m->answers = now.answers - r->before.answers;
    m->blocked = now.blocked - r->before.blocked;
    m->unjudged = now.unjudged - r->before.unjudged;
    m->refused = r->refused;
    put_elapsed(r, &now, m->note, sizeof(m->note));
    memcpy(m->text, r->refusal, sizeof(m->text));
    (void)pthread_mutex_unlock(&r->lock);
    return true;
}

static void leave_word(struct rollouts *r, uint64_t fetched, uint64_t withdrawn)
{
    if (r == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&r->lock);
    r->fetched = fetched != 0 ? fetched : r->fetched;
    r->withdrawn = withdrawn != 0 ? withdrawn : r->withdrawn;
    (void)pthread_cond_signal(&r->changed);
    (void)pthread_mutex_unlock(&r->lock);
}

void rollouts_fetched(struct rollouts *r, uint64_t version)
{
    leave_word(r, version, 0);
}

void rollouts_withdraw(struct rollouts *r, uint64_t version)
{
    leave_word(r, 0, version);
}

/* --- life ---------------------------------------------------------------------------------- */

struct rollouts *rollouts_open(const struct fleet_bundles *owner, struct error *err)
{
    struct rollouts *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        error_set(err, ERROR_NO_MEMORY, "rollouts: no memory");
        return NULL;
    }
    r->owner = owner;
    (void)pthread_mutex_init(&r->lock, NULL);
    (void)pthread_cond_init(&r->changed, NULL);
    return r;
}

bool rollouts_start(struct rollouts *r, struct error *err)
{
    r->is_running = thread_start(&r->thread, run, r, err);
    return r->is_running;
}

void rollouts_close(struct rollouts *r)
{
    if (r == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&r->lock);
    r->is_stopping = true;
    (void)pthread_cond_signal(&r->changed);
    (void)pthread_mutex_unlock(&r->lock);
    if (r->is_running) {
        (void)pthread_join(r->thread, NULL);
    }
    (void)pthread_cond_destroy(&r->changed);
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}
