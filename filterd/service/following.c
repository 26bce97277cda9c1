#include "service/following.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"
#include "review/review_find.h"
#include "review/review_fold.h"
#include "service/witnessed.h"

enum { NICENESS = 10, STEP_MS = 200, RETRY_MS = 5000, COUNT_MS = 2000 };

/* Until there may be something new; false: it is to stop. */
static bool rest(struct following *f, int64_t ms)
{
    const struct timespec until = clock_timespec((clock_monotonic_ms() + ms) * 1000000);

    (void)pthread_mutex_lock(&f->lock);
    while (!f->is_stopping && !f->is_nudged && pthread_cond_timedwait(&f->wake, &f->lock, &until) == 0) {
    }
    f->is_nudged = false;
    bool goes_on = !f->is_stopping;
    (void)pthread_mutex_unlock(&f->lock);
    return goes_on;
}

/* Wakes the threads that wait for a line. */
static void set_seq(struct following *f, enum following_file which, uint64_t seq)
{
    (void)pthread_mutex_lock(&f->lock);
    atomic_store(&f->seqs[which], seq);
    (void)pthread_cond_broadcast(&f->moved);
    (void)pthread_mutex_unlock(&f->lock);
}

/* One transaction of one file. *wait_ms: until the next; 0: at once. */
static void step(struct following *f, enum following_file which, bool *has_failed, int64_t *wait_ms)
{
    static const char *const names[FOLLOWING_FILES] = {"index", "review"};
    const struct index_place *place = which == FOLLOWING_INDEX ? &f->place : &f->review_place;
    struct index_follow **follow = &f->follows[which];
    int64_t now_ms = clock_monotonic_ms();
    uint64_t last = decision_log_synced(f->log);
    struct error err;
    bool more = false;

    *wait_ms = FOLLOWING_REST_MS;
    if (last == atomic_load(&f->seqs[which])) {
        atomic_store(&f->caught_up_ms[which], now_ms);
        return;
    }
    *follow = *follow != NULL ? *follow : index_follow_open(place, &err);
    bool is_done = *follow != NULL && index_follow_step(*follow, last, STEP_MS, &more, &err);
    set_seq(f, which, *follow == NULL ? 0 : index_follow_seq(*follow));
    if (!is_done) {
        if (!*has_failed) {
            log_warn("%s: behind the record, tried again every %d s: %s: %s", names[which], RETRY_MS / 1000, place->index, err.text);
        }
        *wait_ms = RETRY_MS;
    } else if (more) {
        *wait_ms = 0;
    } else if (atomic_load(&f->seqs[which]) >= last) {
        atomic_store(&f->caught_up_ms[which], now_ms);
    }
    if (*has_failed && is_done) {
        log_info("%s: %s follows the record again", names[which], place->index);
    }
    *has_failed = !is_done;
}

/* For metrics, whose thread has more urgent things to do. */
static void count_queue(struct following *f)
{
    int64_t now_ms = clock_monotonic_ms();
    struct review_counts c;
    struct error ignored;

    if (f->counted_ms != 0 && now_ms < f->counted_ms + COUNT_MS) {
        return;
    }
    f->counted_ms = now_ms;
    struct review_reader *r = review_reader_open(f->review_path, &ignored);
    if (r != NULL && review_counts(r, span_of(NULL, 0), clock_utc_ns() / 1000000, &c, &ignored)) {
        atomic_store(&f->n_open, c.n[ITEM_NEW] + c.n[ITEM_CLAIMED]);
        atomic_store(&f->n_overdue, c.n_overdue);
        atomic_store(&f->oldest_ms, c.oldest_ms);
        atomic_store(&f->is_counted, true);
    }
    review_reader_close(r);
}

static void *run(void *context)
{
    struct following *f = context;
    bool has_failed[FOLLOWING_FILES] = {false};
    int64_t due_ms[FOLLOWING_FILES] = {0}, wait_ms;

    (void)setpriority(PRIO_PROCESS, 0, NICENESS); /* of this thread */
    do {
        wait_ms = RETRY_MS;
        for (unsigned i = 0; i < FOLLOWING_FILES; i++) {
            int64_t own_ms = due_ms[i] - clock_monotonic_ms();
            if (!has_failed[i] || own_ms <= 0) {
                step(f, (enum following_file)i, &has_failed[i], &own_ms);
                due_ms[i] = clock_monotonic_ms() + own_ms;
            }
            wait_ms = own_ms < wait_ms ? own_ms : wait_ms;
        }
        count_queue(f);
    } while (rest(f, wait_ms));
    return NULL;
}

static bool start_thread(struct following *f, struct error *err)
{
    if (pthread_mutex_init(&f->lock, NULL) != 0 || !condition_init(&f->wake) || !condition_init(&f->moved)) {
        return error_set(err, ERROR_NO_MEMORY, "index: no memory");
    }
    f->is_on = thread_start(&f->thread, run, f, err);
    return f->is_on || error_wrap(err, "index");
}

static bool make_path(char path[PATH_MAX], const char *record, const char *name, struct error *err)
{
    int len = snprintf(path, PATH_MAX, "%s/%s", record, name);

    return (len >= 0 && (size_t)len < PATH_MAX - sizeof(".lock")) ||
           error_set(err, ERROR_INVALID, "log: a shorter path expected");
}

bool following_start(struct following *f, struct decision_log *log, const char *path, const struct witnessed *where,
                     struct error *err)
{
    if (!make_path(f->path, where->record, "index.db", err) || !make_path(f->review_path, where->record, "review.db", err)) {
        return false;
    }
    f->log = log;
    f->place = (struct index_place){.log = path, .folder = where->folder, .index = f->path};
    f->review_place = (struct index_place){.log = path, .folder = where->folder, .index = f->review_path, .maker = &review_maker};
    for (unsigned i = 0; i < FOLLOWING_FILES; i++) {
        atomic_store(&f->caught_up_ms[i], clock_monotonic_ms());
    }
    return file_make_directory(where->record, err) && start_thread(f, err);
}

void following_stop(struct following *f)
{
    if (!f->is_on) {
        return;
    }
    (void)pthread_mutex_lock(&f->lock);
    f->is_stopping = true;
    (void)pthread_cond_broadcast(&f->wake);
    (void)pthread_cond_broadcast(&f->moved);
    (void)pthread_mutex_unlock(&f->lock);
    (void)pthread_join(f->thread, NULL);
    for (unsigned i = 0; i < FOLLOWING_FILES; i++) {
        index_follow_close(f->follows[i]);
    }
    (void)pthread_cond_destroy(&f->wake);
    (void)pthread_cond_destroy(&f->moved);
    (void)pthread_mutex_destroy(&f->lock);
    f->is_on = false;
}

static uint64_t following_seq(const struct following *f)
{
    return atomic_load(&f->seqs[FOLLOWING_INDEX]);
}

static uint64_t behind_ms(const struct following *f, enum following_file which)
{
    int64_t behind = clock_monotonic_ms() - atomic_load(&f->caught_up_ms[which]);

    return atomic_load(&f->seqs[which]) >= decision_log_synced(f->log) || behind < 0 ? 0 : (uint64_t)behind;
}

uint64_t following_behind_ms(const struct following *f)
{
    return behind_ms(f, FOLLOWING_INDEX);
}

bool following_wait_review(struct following *f, uint64_t seq, unsigned timeout_ms)
{
    const struct timespec until = clock_timespec((clock_monotonic_ms() + (int64_t)timeout_ms) * 1000000);

    (void)pthread_mutex_lock(&f->lock);
    f->is_nudged = true;
    (void)pthread_cond_signal(&f->wake);
    while (!f->is_stopping && atomic_load(&f->seqs[FOLLOWING_REVIEW]) < seq &&
           pthread_cond_timedwait(&f->moved, &f->lock, &until) == 0) {
    }
    (void)pthread_mutex_unlock(&f->lock);
    return atomic_load(&f->seqs[FOLLOWING_REVIEW]) >= seq;
}

static bool queue_metrics(const struct following *f, struct buf *out, struct error *err)
{
    int64_t oldest_ms = atomic_load(&f->oldest_ms), age_ms = oldest_ms == 0 ? 0 : clock_utc_ns() / 1000000 - oldest_ms;

    return !atomic_load(&f->is_counted) ||
           buf_appendf(out, err,
                       "# HELP filterd_review_open_items Items of the review queue that are not closed.\n"
                       "# TYPE filterd_review_open_items gauge\nfilterd_review_open_items %" PRIu64 "\n"
                       "# HELP filterd_review_overdue_items Open items past their due date; 10000 stands for that many or more.\n"
                       "# TYPE filterd_review_overdue_items gauge\nfilterd_review_overdue_items %" PRIu64 "\n"
                       "# HELP filterd_review_oldest_seconds Age of the oldest open item.\n"
                       "# TYPE filterd_review_oldest_seconds gauge\nfilterd_review_oldest_seconds %.3f\n",
                       atomic_load(&f->n_open), atomic_load(&f->n_overdue), age_ms < 0 ? 0.0 : (double)age_ms / 1000);
}

bool following_metrics(const struct following *f, struct buf *out, struct error *err)
{
    return !f->is_on ||
           (queue_metrics(f, out, err) &&
           buf_appendf(out, err,
                       "# HELP filterd_index_seq The last line in the index of the decision log.\n"
                       "# TYPE filterd_index_seq gauge\nfilterd_index_seq %" PRIu64 "\n"
                       "# HELP filterd_index_behind_seconds For how long the index has lacked lines that are on disk.\n"
                       "# TYPE filterd_index_behind_seconds gauge\nfilterd_index_behind_seconds %.3f\n"
                       "# HELP filterd_review_behind_seconds For how long review.db has lacked lines that are on disk.\n"
                       "# TYPE filterd_review_behind_seconds gauge\nfilterd_review_behind_seconds %.3f\n",
                       following_seq(f), (double)following_behind_ms(f) / 1000, (double)behind_ms(f, FOLLOWING_REVIEW) / 1000));
}
