#include "link/gatherer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "link/metrics.h"

enum { STEP_MS = 1000, PAUSE_MAX_MS = 30000, COMPLAIN_MS = 60000, STATEMENT_MS = 30000, REPLY_TIMEOUT_MS = 40000 };

static bool take(void *context, const struct gathered *one, struct error *err)
{
    struct link_gatherer *g = context;

    (void)err;
    (void)atomic_fetch_add(&g->lines, one->added);
    if (one->missing > 0) {
        (void)atomic_fetch_add(&g->missing, 1);
    }
    return true;
}

static bool step(struct link_gatherer *g, struct error *err)
{
    atomic_store(&g->missing, 0);
    return (g->session.connection != NULL || link_session_connect(&g->session, "filterd-link gather", STATEMENT_MS, err)) &&
           gather_all(g->folder, &g->session, &g->seen, take, g, err);
}

static int64_t complain(struct link_gatherer *g, const struct error *err)
{
    int64_t now_ms = clock_monotonic_ms();

    link_session_end(&g->session);
    (void)atomic_fetch_add(&g->failures, 1);
    if (g->complained_ms == 0 || now_ms - g->complained_ms >= COMPLAIN_MS) {
        g->complained_ms = now_ms;
        log_warn("link: copies: %s: it is tried again", err->text);
    }
    g->pause_ms = g->pause_ms == 0 ? STEP_MS : g->pause_ms * 2 < PAUSE_MAX_MS ? g->pause_ms * 2 : PAUSE_MAX_MS;
    return g->pause_ms;
}

static void *run(void *context)
{
    struct link_gatherer *g = context;
    struct pollfd stop = {.fd = g->stop, .events = POLLIN};
    struct error err = {.text = ""};
    int64_t wait_ms;

    do {
        wait_ms = STEP_MS;
        if (step(g, &err)) {
            g->pause_ms = g->complained_ms = 0;
        } else {
            wait_ms = complain(g, &err);
        }
    } while (poll(&stop, 1, (int)wait_ms) <= 0);
    link_session_end(&g->session);
    return NULL;
}

bool link_gatherer_start(struct link_gatherer *g, const struct link_config *config, const struct link_database *database, struct error *err)
{
    g->folder = config->copies;
    g->stop = -1;
    if (g->folder == NULL) {
        return true;
    }
    g->session = (struct link_session){.database = database, .reply_timeout_ms = REPLY_TIMEOUT_MS};
    g->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (g->stop < 0) {
        return error_errno(err, "link: copies");
    }
    g->is_running = thread_start(&g->thread, run, g, err);
    return g->is_running;
}

void link_gatherer_stop(struct link_gatherer *g)
{
    const uint64_t one = 1;

    if (g->is_running) {
        (void)!write(g->stop, &one, sizeof(one));
        (void)pthread_join(g->thread, NULL);
        g->is_running = false;
    }
    if (g->folder != NULL) {
        cleanup_fd(&g->stop);
    }
}

bool link_gatherer_put_metrics(const struct link_gatherer *g, struct buf *out, struct error *err)
{
    const struct link_metric metrics[] = {
        {"gathered_lines_total", "counter", "Lines of all nodes that were written to the copies.", atomic_load(&g->lines)},
        {"gather_failures_total", "counter", "Attempts to gather that failed; they are tried again.", atomic_load(&g->failures)},
        {"gather_gaps", "gauge", "Nodes of which the database lacks a line.", atomic_load(&g->missing)},
    };

    return g->folder == NULL || link_metrics_put(metrics, COUNT(metrics), out, err);
}
