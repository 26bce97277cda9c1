#include "service/following.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"
#include "service/witnessed.h"

enum { NICENESS = 10, STEP_MS = 200, RETRY_MS = 5000 };

/* Until there may be something new; false: it is to stop. */
static bool rest(struct following *f, int64_t ms)
{
    const struct timespec until = clock_timespec((clock_monotonic_ms() + ms) * 1000000);

    (void)pthread_mutex_lock(&f->lock);
    while (!f->is_stopping && pthread_cond_timedwait(&f->stop, &f->lock, &until) == 0) {
    }
    bool goes_on = !f->is_stopping;
    (void)pthread_mutex_unlock(&f->lock);
    return goes_on;
}

/* One transaction. *wait_ms: until the next; 0: at once. */
static void step(struct following *f, bool *has_failed, int64_t *wait_ms)
{
    int64_t now_ms = clock_monotonic_ms();
    uint64_t last = decision_log_synced(f->log);
    struct error err;
    bool more = false;

    *wait_ms = FOLLOWING_REST_MS;
    if (last == atomic_load(&f->seq)) {
        atomic_store(&f->caught_up_ms, now_ms);
        return;
    }
    f->follow = f->follow != NULL ? f->follow : index_follow_open(&f->place, &err);
    bool is_done = f->follow != NULL && index_follow_step(f->follow, last, STEP_MS, &more, &err);
    atomic_store(&f->seq, f->follow == NULL ? 0 : index_follow_seq(f->follow));
    if (!is_done) {
        if (!*has_failed) {
            log_warn("index: behind the record, tried again every %d s: %s", RETRY_MS / 1000, err.text);
        }
        *wait_ms = RETRY_MS;
    } else if (more) {
        *wait_ms = 0;
    } else if (atomic_load(&f->seq) >= last) {
        atomic_store(&f->caught_up_ms, now_ms);
    }
    *has_failed = !is_done;
}

static void *run(void *context)
{
    struct following *f = context;
    bool has_failed = false;
    int64_t wait_ms = 0;

    (void)setpriority(PRIO_PROCESS, 0, NICENESS); /* of this thread */
    do {
        step(f, &has_failed, &wait_ms);
    } while (rest(f, wait_ms));
    return NULL;
}

static bool start_thread(struct following *f, struct error *err)
{
    if (pthread_mutex_init(&f->lock, NULL) != 0 || !condition_init(&f->stop)) {
        return error_set(err, ERROR_NO_MEMORY, "index: no memory");
    }
    f->is_on = thread_start(&f->thread, run, f, err);
    return f->is_on || error_wrap(err, "index");
}

bool following_start(struct following *f, struct decision_log *log, const char *path, const struct witnessed *where,
                     struct error *err)
{
    int len = snprintf(f->path, sizeof(f->path), "%s/index.db", where->record);

    if (len < 0 || (size_t)len >= sizeof(f->path) - sizeof(".lock")) {
        return error_set(err, ERROR_INVALID, "log: a shorter path expected");
    }
    f->log = log;
    f->place = (struct index_place){.log = path, .folder = where->folder, .index = f->path};
    atomic_store(&f->caught_up_ms, clock_monotonic_ms());
    return file_make_directory(where->record, err) && start_thread(f, err);
}

void following_stop(struct following *f)
{
    if (!f->is_on) {
        return;
    }
    (void)pthread_mutex_lock(&f->lock);
    f->is_stopping = true;
    (void)pthread_cond_signal(&f->stop);
    (void)pthread_mutex_unlock(&f->lock);
    (void)pthread_join(f->thread, NULL);
    index_follow_close(f->follow);
    (void)pthread_cond_destroy(&f->stop);
    (void)pthread_mutex_destroy(&f->lock);
    f->is_on = false;
}

uint64_t following_seq(const struct following *f)
{
    return atomic_load(&f->seq);
}

uint64_t following_behind_ms(const struct following *f)
{
    int64_t behind = clock_monotonic_ms() - atomic_load(&f->caught_up_ms);

    return atomic_load(&f->seq) >= decision_log_synced(f->log) || behind < 0 ? 0 : (uint64_t)behind;
}

bool following_metrics(const struct following *f, struct buf *out, struct error *err)
{
    return !f->is_on ||
           buf_appendf(out, err,
                       "# HELP filterd_index_seq The last line in the index of the decision log.\n"
                       "# TYPE filterd_index_seq gauge\nfilterd_index_seq %" PRIu64 "\n"
                       "# HELP filterd_index_behind_seconds For how long the index has lacked lines that are on disk.\n"
                       "# TYPE filterd_index_behind_seconds gauge\nfilterd_index_behind_seconds %.3f\n",
                       following_seq(f), (double)following_behind_ms(f) / 1000);
}
