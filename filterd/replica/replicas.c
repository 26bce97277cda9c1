#include "replica/replicas.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"

enum { NICENESS = 10, STEP_MS = 200, REST_MS = 500 };

struct replicas {
    const char *folder;
    pthread_t thread;
    bool is_running;
    struct replica *nodes[REPLICAS_MAX]; /* the thread's, by name */
    bool is_full;                        /* the log says so */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_stopping; /* guarded by lock, as what follows; only the thread changes it */
    size_t n;
    struct replica_state states[REPLICAS_MAX]; /* of nodes */
};

/* --- the thread --------------------------------------------------------------------------- */

static int is_node(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_type == DT_DIR && strlen(entry->d_name) < REPLICA_NAME;
}

static bool has_node(const struct replicas *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->states[i].node, name) == 0) {
            return true;
        }
    }
    return false;
}

static void add_node(struct replicas *c, const char *name)
{
    struct error err;

    if (c->n == REPLICAS_MAX) {
        if (!c->is_full) {
            log_warn("copies: more than %d nodes: the others are not shown", REPLICAS_MAX);
        }
        c->is_full = true;
        return;
    }
    struct replica *one = replica_open(c->folder, name, &err);
    if (one == NULL) {
        log_warn("%s", err.text);
        return;
    }
    size_t at = c->n++;
    (void)pthread_mutex_lock(&c->lock);
    for (; at > 0 && strcmp(c->states[at - 1].node, name) > 0; at--) {
        c->nodes[at] = c->nodes[at - 1];
        c->states[at] = c->states[at - 1];
    }
    c->nodes[at] = one;
    c->states[at] = *replica_state(one);
    (void)pthread_mutex_unlock(&c->lock);
}

static void look_for_nodes(struct replicas *c)
{
    struct dirent **found = NULL;
    int n = scandir(c->folder, &found, is_node, alphasort);

    for (int i = 0; i < n; i++) {
        if (!has_node(c, found[i]->d_name)) {
            add_node(c, found[i]->d_name);
        }
        free(found[i]);
    }
    free(found);
}

/* A node whose folder is gone keeps its row, which says so. */
static void publish(struct replicas *c, size_t i, const struct replica_state *s)
{
    (void)pthread_mutex_lock(&c->lock);
    if (s->why[0] != '\0' && strcmp(c->states[i].why, s->why) != 0) {
        log_warn("copies: %s: %s", s->node, s->why);
    }
    c->states[i] = *s;
    (void)pthread_mutex_unlock(&c->lock);
}

/* False: it is to stop. */
static bool rest(struct replicas *c, int64_t ms)
{
    const struct timespec until = clock_timespec((clock_monotonic_ms() + ms) * 1000000);

    (void)pthread_mutex_lock(&c->lock);
    while (!c->is_stopping && ms > 0 && pthread_cond_timedwait(&c->wake, &c->lock, &until) == 0) {
    }
    bool goes_on = !c->is_stopping;
    (void)pthread_mutex_unlock(&c->lock);
    return goes_on;
}

static void *run(void *context)
{
    struct replicas *c = context;
    bool more = false, is_on = true;

    (void)setpriority(PRIO_PROCESS, 0, NICENESS); /* of this thread */
    while (is_on) {
        more = false;
        look_for_nodes(c);
        for (size_t i = 0; i < c->n && is_on; i++) {
            bool has_more = false;
            replica_step(c->nodes[i], STEP_MS, &has_more);
            more = more || has_more;
            publish(c, i, replica_state(c->nodes[i]));
            is_on = rest(c, 0);
        }
        is_on = is_on && rest(c, more ? 0 : REST_MS);
    }
    return NULL;
}

/* --- for others --------------------------------------------------------------------------- */

const char *replicas_folder(const struct replicas *c)
{
    return c->folder;
}

size_t replicas_states(struct replicas *c, struct replica_state out[REPLICAS_MAX])
{
    (void)pthread_mutex_lock(&c->lock);
    size_t n = c->n;
    memcpy(out, c->states, n * sizeof(*out));
    (void)pthread_mutex_unlock(&c->lock);
    return n;
}

bool replicas_find(struct replicas *c, struct span node, struct replica_state *out)
{
    bool is_found = false;

    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->n && !is_found; i++) {
        is_found = span_is(node, c->states[i].node);
        if (is_found) {
            *out = c->states[i];
        }
    }
    (void)pthread_mutex_unlock(&c->lock);
    return is_found;
}

/* --- life --------------------------------------------------------------------------------- */

struct replicas *replicas_open(const char *folder, struct error *err)
{
    struct replicas *c = calloc(1, sizeof(*c));

    if (c == NULL || !file_make_directory(folder, err)) {
        (void)(c != NULL || error_set(err, ERROR_NO_MEMORY, "copies: no memory"));
        free(c);
        return NULL;
    }
    c->folder = folder;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)condition_init(&c->wake);
    return c;
}

bool replicas_start(struct replicas *c, struct error *err)
{
    c->is_running = thread_start(&c->thread, run, c, err);
    return c->is_running;
}

void replicas_close(struct replicas *c)
{
    if (c == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&c->lock);
    c->is_stopping = true;
    (void)pthread_cond_signal(&c->wake);
    (void)pthread_mutex_unlock(&c->lock);
    if (c->is_running) {
        (void)pthread_join(c->thread, NULL);
    }
    for (size_t i = 0; i < c->n; i++) {
        replica_close(c->nodes[i]);
    }
    (void)pthread_cond_destroy(&c->wake);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}
