#include "enforce/killer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"

/* The sanitizers' runtimes keep much of their own on a stack. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { STACK = 4 * 1024 * 1024 };
#else
enum { STACK = 256 * 1024 };
#endif

enum {
    RETRY_DEADLINE_MS = 50, /* so that a process that will not die does not hold up others */
    RETRY_NS = 500000000,
};

struct slot {
    bool is_used, is_busy, is_over, has_outcome;
    bool has_kill, is_reported; /* a kill was ordered; killer_next_ordered said so */
    unsigned orders;
    int64_t ordered_ns, not_before_ns; /* monotonic */
    unsigned tries;
    int cut;
    struct jail_kill_target target;
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
    char why[KILLER_WHY_MAX];
    struct kill_outcome outcome;
};

struct killer {
    pthread_mutex_t lock;
    pthread_cond_t wanted;
    unsigned n;
    bool is_stopping, is_locked;
    uint64_t kills, unverified;
    int event;
    unsigned n_threads;
    pthread_t threads[KILLER_THREADS];
    void *stacks[KILLER_THREADS];
    struct slot slots[];
};

/* --- making --------------------------------------------------------------- */

/* Touched and, where the limit lets it, locked: a kill must not wait for memory. */
static bool make_stacks(struct killer *k)
{
    for (size_t i = 0; i < KILLER_THREADS; i++) {
        void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_POPULATE,
                           -1, 0);
        if (stack == MAP_FAILED) {
            return false;
        }
        k->stacks[i] = stack;
        k->is_locked &= mlock(stack, STACK) == 0;
    }
    return true;
}

struct killer *killer_new(unsigned slots, struct error *err)
{
    size_t size = sizeof(struct killer) + slots * sizeof(struct slot);
    struct killer *k = calloc(1, size);

    if (k == NULL) {
        error_set(err, ERROR_NO_MEMORY, "kill: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&k->lock, NULL);
    (void)condition_init(&k->wanted);
    k->n = slots;
    k->is_locked = mlock(k, size) == 0;
    k->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (unsigned i = 0; i < slots; i++) {
        jail_kill_init(&k->slots[i].target);
        k->slots[i].cut = -1;
    }
    if (k->event < 0 || !make_stacks(k)) {
        error_errno(err, "kill");
        killer_free(k);
        return NULL;
    }
    return k;
}

static void clear(struct slot *p)
{
    jail_kill_close(&p->target);
    cleanup_fd(&p->cut);
    *p = (struct slot){.cut = -1};
    jail_kill_init(&p->target);
}

void killer_free(struct killer *k)
{
    if (k == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&k->lock);
    k->is_stopping = true;
    (void)pthread_cond_broadcast(&k->wanted);
    (void)pthread_mutex_unlock(&k->lock);
    for (unsigned i = 0; i < k->n_threads; i++) {
        (void)pthread_join(k->threads[i], NULL);
    }
    for (unsigned i = 0; i < k->n; i++) {
        clear(&k->slots[i]);
    }
    for (size_t i = 0; i < KILLER_THREADS; i++) {
        if (k->stacks[i] != NULL) {
            (void)munmap(k->stacks[i], STACK);
        }
    }
    cleanup_fd(&k->event);
    (void)pthread_cond_destroy(&k->wanted);
    (void)pthread_mutex_destroy(&k->lock);
    free(k);
}

/* --- carrying out --------------------------------------------------------- */

static bool cut(int fd)
{
    const uint64_t one = 1;

    return fd >= 0 && write(fd, &one, sizeof(one)) == (ssize_t)sizeof(one);
}

/* Without the lock: the slot is this thread's. */
static void carry_out(const struct slot *p, unsigned orders, struct kill_outcome *out)
{
    const struct {
        enum kill_order order;
        bool is_done;
    } steps[] = {{ORDER_CUT, (orders & ORDER_CUT) != 0 && cut(p->cut)},
                 {ORDER_FREEZE, (orders & ORDER_FREEZE) != 0 && jail_kill_freeze(&p->target)},
                 {ORDER_THAW, (orders & ORDER_THAW) != 0 && jail_kill_thaw(&p->target)}};

    out->orders = orders;
    out->failed = 0;
    for (size_t i = 0; i < COUNT(steps); i++) {
        out->failed |= (orders & steps[i].order) != 0 && !steps[i].is_done ? steps[i].order : 0U;
    }
    if ((orders & ORDER_KILL) != 0) {
        out->kill = jail_kill(&p->target, p->tries == 0 ? JAIL_KILL_DEADLINE_MS : RETRY_DEADLINE_MS);
        out->failed |= out->kill.is_verified ? 0U : ORDER_KILL;
    }
}

/* The one that has waited longest; NULL: *next_ns is when one may be tried again, 0: none waits. */
static struct slot *choose(struct killer *k, int64_t now, int64_t *next_ns)
{
    struct slot *first = NULL;

    *next_ns = 0;
    for (unsigned i = 0; i < k->n; i++) {
        struct slot *p = &k->slots[i];
        if (!p->is_used || p->is_busy || p->orders == 0) {
            continue;
        }
        if (p->not_before_ns > now) {
            *next_ns = *next_ns == 0 || p->not_before_ns < *next_ns ? p->not_before_ns : *next_ns;
        } else if (first == NULL || p->ordered_ns < first->ordered_ns) {
            first = p;
        }
    }
    return first;
}

/* With the lock. A failure is reported once, and the success after it. */
static void settle(struct killer *k, struct slot *p, const struct kill_outcome *done)
{
    const uint64_t one = 1;
    bool is_left = (done->orders & ORDER_KILL) != 0 && !done->kill.is_verified;
    bool is_news = !is_left || p->tries == 0;

    p->tries += (done->orders & ORDER_KILL) != 0 ? 1 : 0;
    k->kills += (done->orders & ORDER_KILL) != 0 && !is_left;
    k->unverified += is_left;
    p->is_over |= done->kill.is_verified;
    if (is_left) {
        p->orders |= ORDER_KILL;
        p->not_before_ns = clock_read_ns(CLOCK_MONOTONIC) + RETRY_NS;
    }
    if (is_news) {
        unsigned unreported = p->has_outcome ? p->outcome.orders : 0, unreported_failed = p->has_outcome ? p->outcome.failed : 0;
        p->outcome = *done;
        p->outcome.orders |= unreported;
        p->outcome.failed |= unreported_failed & ~done->orders;
        p->outcome.tries = p->tries;
        p->outcome.since_order_us = (clock_read_ns(CLOCK_MONOTONIC) - p->ordered_ns) / 1000;
        p->has_outcome = true;
        (void)!write(k->event, &one, sizeof(one));
    }
}

static void wait_for_orders(struct killer *k, int64_t next_ns)
{
    const struct timespec until = clock_timespec(next_ns);

    if (next_ns == 0) {
        (void)pthread_cond_wait(&k->wanted, &k->lock);
    } else {
        (void)pthread_cond_timedwait(&k->wanted, &k->lock, &until);
    }
}

static void *run(void *context)
{
    struct killer *k = context;
    int64_t next_ns = 0;

    (void)pthread_mutex_lock(&k->lock);
    while (!k->is_stopping) {
        struct slot *p = choose(k, clock_read_ns(CLOCK_MONOTONIC), &next_ns);
        if (p == NULL) {
            wait_for_orders(k, next_ns);
            continue;
        }
        unsigned orders = p->orders;
        struct kill_outcome done = {0};
        p->orders = 0;
        p->is_busy = true;
        (void)pthread_mutex_unlock(&k->lock);
        carry_out(p, orders, &done);
        (void)pthread_mutex_lock(&k->lock);
        p->is_busy = false;
        settle(k, p, &done);
    }
    (void)pthread_mutex_unlock(&k->lock);
    return NULL;
}

bool killer_start(struct killer *k, struct error *err)
{
    pthread_attr_t attr;

    while (k->n_threads < KILLER_THREADS) {
        (void)pthread_attr_init(&attr);
        bool is_started = pthread_attr_setstack(&attr, k->stacks[k->n_threads], STACK) == 0 &&
                          pthread_create(&k->threads[k->n_threads], &attr, run, k) == 0;
        (void)pthread_attr_destroy(&attr);
        if (!is_started) {
            return error_set(err, ERROR_SYSTEM, "kill: a thread cannot be started");
        }
        k->n_threads++;
    }
    return true;
}

/* --- slots and orders ---------------------------------------------------- */

static void copy_name(char to[LEDGER_NAME_MAX + 1], struct span name)
{
    size_t len = name.len <= LEDGER_NAME_MAX ? name.len : LEDGER_NAME_MAX;

    if (len > 0) {
        memcpy(to, name.ptr, len);
    }
    to[len] = '\0';
}

int killer_add(struct killer *k, const struct agent_key *key, const struct jail_kill_target *t, int cut_fd)
{
    int found = -1;

    (void)pthread_mutex_lock(&k->lock);
    for (unsigned i = 0; i < k->n && found < 0; i++) {
        struct slot *p = &k->slots[i];
        if (!p->is_used) {
            p->is_used = true;
            p->target = *t;
            p->cut = cut_fd;
            copy_name(p->tenant, key->tenant);
            copy_name(p->agent, key->agent);
            found = (int)i;
        }
    }
    (void)pthread_mutex_unlock(&k->lock);
    return found;
}

bool killer_remove(struct killer *k, int slot)
{
    struct slot *p = &k->slots[slot];

    (void)pthread_mutex_lock(&k->lock);
    bool is_idle = !p->is_busy && p->orders == 0 && !p->has_outcome;
    if (is_idle) {
        clear(p);
    }
    (void)pthread_mutex_unlock(&k->lock);
    return is_idle;
}

bool killer_is_over(struct killer *k, int slot)
{
    (void)pthread_mutex_lock(&k->lock);
    bool is_over = k->slots[slot].is_over || (!k->slots[slot].is_busy && jail_kill_is_over(&k->slots[slot].target));
    (void)pthread_mutex_unlock(&k->lock);
    return is_over;
}

static void order(struct killer *k, struct slot *p, unsigned orders, const char *why)
{
    const uint64_t one = 1;

    if (p->orders == 0) {
        p->ordered_ns = clock_read_ns(CLOCK_MONOTONIC);
    }
    p->orders |= orders;
    p->has_kill |= (orders & ORDER_KILL) != 0;
    p->not_before_ns = 0;
    (void)snprintf(p->why, sizeof(p->why), "%s", why);
    (void)pthread_cond_signal(&k->wanted);
    (void)!write(k->event, &one, sizeof(one));
}

static bool is_of(const struct slot *p, const struct agent_key *key)
{
    return p->is_used && span_is(key->agent, p->agent) && span_is(key->tenant, p->tenant) && p->agent[0] != '\0';
}

unsigned killer_order(struct killer *k, const struct agent_key *key, unsigned orders, const char *why)
{
    unsigned n = 0;

    (void)pthread_mutex_lock(&k->lock);
    for (unsigned i = 0; i < k->n; i++) {
        if (is_of(&k->slots[i], key)) {
            order(k, &k->slots[i], orders, why);
            n++;
        }
    }
    (void)pthread_mutex_unlock(&k->lock);
    return n;
}

void killer_order_slot(struct killer *k, int slot, unsigned orders, const char *why)
{
    (void)pthread_mutex_lock(&k->lock);
    if (k->slots[slot].is_used) {
        order(k, &k->slots[slot], orders, why);
    }
    (void)pthread_mutex_unlock(&k->lock);
}

unsigned killer_count(struct killer *k, const struct agent_key *key)
{
    unsigned n = 0;

    (void)pthread_mutex_lock(&k->lock);
    for (unsigned i = 0; i < k->n; i++) {
        n += is_of(&k->slots[i], key) && !k->slots[i].is_over;
    }
    (void)pthread_mutex_unlock(&k->lock);
    return n;
}

int killer_at(struct killer *k, int from, char tenant[LEDGER_NAME_MAX + 1], char agent[LEDGER_NAME_MAX + 1])
{
    int found = -1;

    (void)pthread_mutex_lock(&k->lock);
    for (unsigned i = (unsigned)from; i < k->n && found < 0; i++) {
        const struct slot *p = &k->slots[i];
        if (p->is_used && !p->is_over && p->agent[0] != '\0') {
            memcpy(tenant, p->tenant, sizeof(p->tenant));
            memcpy(agent, p->agent, sizeof(p->agent));
            found = (int)i;
        }
    }
    (void)pthread_mutex_unlock(&k->lock);
    return found;
}

/* --- what became of them -------------------------------------------------- */

int killer_event(const struct killer *k)
{
    return k->event;
}

bool killer_next(struct killer *k, struct kill_outcome *out)
{
    bool is_there = false;
    uint64_t n;

    (void)pthread_mutex_lock(&k->lock);
    for (unsigned i = 0; i < k->n && !is_there; i++) {
        struct slot *p = &k->slots[i];
        if (p->is_used && p->has_outcome) {
            *out = p->outcome;
            out->slot = (int)i;
            memcpy(out->tenant, p->tenant, sizeof(out->tenant));
            memcpy(out->agent, p->agent, sizeof(out->agent));
            memcpy(out->why, p->why, sizeof(out->why));
            p->has_outcome = false;
            is_there = true;
        }
    }
    if (!is_there) {
        (void)!read(k->event, &n, sizeof(n));
    }
    (void)pthread_mutex_unlock(&k->lock);
    return is_there;
}

bool killer_next_ordered(struct killer *k, int *slot, char why[KILLER_WHY_MAX])
{
    bool is_there = false;

    (void)pthread_mutex_lock(&k->lock);
    for (unsigned i = 0; i < k->n && !is_there; i++) {
        struct slot *p = &k->slots[i];
        if (p->is_used && p->has_kill && !p->is_reported) {
            *slot = (int)i;
            memcpy(why, p->why, sizeof(p->why));
            p->is_reported = true;
            is_there = true;
        }
    }
    (void)pthread_mutex_unlock(&k->lock);
    return is_there;
}

void killer_health(struct killer *k, struct killer_health *out)
{
    (void)pthread_mutex_lock(&k->lock);
    *out = (struct killer_health){
        .kills = k->kills, .unverified = k->unverified, .slots = k->n, .is_locked = k->is_locked};
    for (unsigned i = 0; i < k->n; i++) {
        out->used += k->slots[i].is_used;
    }
    (void)pthread_mutex_unlock(&k->lock);
}
