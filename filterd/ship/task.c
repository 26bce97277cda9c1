#include "ship/task.h"

#include <inttypes.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "ship/follow.h"
#include "ship/format.h"

enum { POLL_MS = 500, RAW_MAX = 64 * 1024 * 1024, RAW_STEP = 2 * 1024 * 1024, COMPLAIN_MS = 60000 };

/* Each is stricter than the one before. */
enum phase { PHASE_RUN, PHASE_DRAIN, PHASE_END };

struct ship_task {
    const struct ship_sink *sink;
    const struct ship_format *format;
    char path[PATH_MAX]; /* of the position */
    pthread_t thread;
    pthread_mutex_t lock; /* guards phase, drain_ns, is_over */
    pthread_cond_t changed;
    enum phase phase;
    int64_t drain_ns; /* UTC: what was written before is to be sent */
    bool is_over;
    atomic_bool is_cut;
    /* The thread's own. */
    struct ship_sender *sender;
    struct ship_follow follow;
    struct ship_position position; /* as written */
    struct ship_batch batch;
    struct buf raw; /* the lines of a batch, each with a newline */
    size_t lens[SHIP_BATCH_MAX], n;
    int64_t last_ns; /* the time in the last of them */
    int64_t pause_ms, written_ms, complained_ms;
    struct ship_counts counts;
};

const struct ship_counts *ship_task_counts(const struct ship_task *t)
{
    return &t->counts;
}

static void count(_Atomic uint64_t *counter, uint64_t n)
{
    (void)atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* --- waiting ----------------------------------------------------------------------- */

/* Until a phase begins, or the time is over; in the last phase not at all. True when the thread is to end at once. */
static bool wait_ms(struct ship_task *t, int64_t ms)
{
    struct timespec until = clock_timespec((int64_t)clock_monotonic_ns() + ms * 1000000);
    bool has_time = true;

    (void)pthread_mutex_lock(&t->lock);
    enum phase before = t->phase;
    while (has_time && t->phase == before && before != PHASE_END && !atomic_load(&t->is_cut)) {
        has_time = pthread_cond_timedwait(&t->changed, &t->lock, &until) == 0;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return atomic_load(&t->is_cut);
}

static bool is_to_end(struct ship_task *t)
{
    (void)pthread_mutex_lock(&t->lock);
    bool is_to = t->phase == PHASE_END;
    (void)pthread_mutex_unlock(&t->lock);
    return is_to || atomic_load(&t->is_cut);
}

static bool is_drained(struct ship_task *t)
{
    (void)pthread_mutex_lock(&t->lock);
    bool is = t->phase == PHASE_DRAIN && t->follow.as_of_ns >= t->drain_ns;
    (void)pthread_mutex_unlock(&t->lock);
    return is;
}

/* Half of it random, so that many do not come at once. */
static int64_t next_pause(struct ship_task *t, int64_t retry_after_ms)
{
    uint32_t random = 0;

    t->pause_ms = t->pause_ms == 0 ? SHIP_PAUSE_MIN_MS : t->pause_ms * 2;
    t->pause_ms = t->pause_ms < SHIP_PAUSE_MAX_MS ? t->pause_ms : SHIP_PAUSE_MAX_MS;
    (void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
    int64_t pause = t->pause_ms / 2 + (int64_t)(random % (uint32_t)(t->pause_ms / 2 + 1));
    return pause > retry_after_ms ? pause : retry_after_ms;
}

/* The first failure, then one a minute. */
static void complain(struct ship_task *t, const struct error *err)
{
    int64_t now = clock_monotonic_ms();

    if (t->complained_ms == 0 || now - t->complained_ms >= COMPLAIN_MS) {
        t->complained_ms = now;
        log_warn("ship: %s: it is tried again", err->text);
    }
}

static void note_success(struct ship_task *t)
{
    if (t->complained_ms != 0) {
        log_info("ship: sink " SPAN_FMT ": goes on seq=%" PRIu64, SPAN_ARG(t->sink->name), t->position.seq);
    }
    t->complained_ms = 0;
    t->pause_ms = 0;
}

/* --- the position --------------------------------------------------------------------- */

static void save(struct ship_task *t)
{
    struct error err;

    atomic_store(&t->counts.as_of_ns, t->position.as_of_ns);
    atomic_store(&t->counts.seq, t->position.seq);
    t->written_ms = clock_monotonic_ms();
    if (!ship_position_write(t->path, &t->position, &err)) {
        complain(t, &err); /* what was sent comes again after a restart */
    }
}

static void save_batch(struct ship_task *t)
{
    ship_follow_position(&t->follow, &t->position);
    if (t->last_ns > t->position.as_of_ns) {
        t->position.as_of_ns = t->last_ns;
    }
    save(t);
}

/* All is sent that could be read. */
static void save_idle(struct ship_task *t)
{
    if (t->follow.as_of_ns > t->position.as_of_ns) {
        t->position.as_of_ns = t->follow.as_of_ns;
        atomic_store(&t->counts.as_of_ns, t->position.as_of_ns);
    }
    if (clock_monotonic_ms() - t->written_ms >= SHIP_HEARTBEAT_MS) {
        save(t);
    }
}

/* --- batches ---------------------------------------------------------------------------- */

/* NONE and FAILED: there is nothing more for now. */
static enum ship_follow_result fill(struct ship_task *t, struct error *err)
{
    enum ship_follow_result result = SHIP_FOLLOW_LINE;
    struct span line;

    buf_clear(&t->raw);
    t->n = 0;
    while (t->n < (size_t)t->sink->batch && t->raw.len < RAW_STEP) {
        result = ship_follow_next(&t->follow, &line, err);
        if (result != SHIP_FOLLOW_LINE) {
            break;
        }
        if (!buf_append(&t->raw, line, err)) {
            return SHIP_FOLLOW_FAILED;
        }
        t->lens[t->n++] = line.len;
    }
    atomic_store(&t->counts.missing, t->follow.missing);
    atomic_store(&t->counts.unreadable, t->follow.unreadable);
    return result;
}

/* Lines [from, to), which begin at byte `at` of raw. */
static bool format(struct ship_task *t, size_t from, size_t to, size_t at, struct error *err)
{
    bool is_made = ship_batch_begin(&t->batch, t->format, err);

    for (size_t i = from; i < to && is_made; i++) {
        is_made = ship_batch_add(&t->batch, t->format, span_of(t->raw.data + at, t->lens[i]), err);
        at += t->lens[i];
    }
    return is_made && ship_batch_end(&t->batch, t->format, err);
}

static enum ship_result send_part(struct ship_task *t, size_t from, size_t to, size_t at, struct ship_answer *answer)
{
    struct error err = {.text = ""};

    *answer = (struct ship_answer){0};
    enum ship_result result = SHIP_FAILED;
    if (format(t, from, to, at, &err)) {
        result = t->batch.n_records == 0 ? SHIP_SENT : ship_send(t->sender, buf_span(&t->batch.body), answer, &err);
    }
    count(&t->counts.results[result], t->batch.n_records > 0 || result != SHIP_SENT);
    if (result != SHIP_SENT) {
        complain(t, &err);
        return result;
    }
    count(&t->counts.lines, to - from);
    count(&t->counts.skipped, t->batch.n_skipped);
    count(&t->counts.records, t->batch.n_records);
    count(&t->counts.bytes, t->batch.n_records > 0 ? t->batch.body.len : 0);
    count(&t->counts.batches, t->batch.n_records > 0);
    count(&t->counts.rejected, answer->n_rejected);
    return result;
}

/* Until all is sent. False: the thread is to end first. */
static bool deliver(struct ship_task *t)
{
    size_t from = 0, at = 0, step = t->n;
    struct ship_answer answer;

    while (from < t->n) {
        size_t to = from + step < t->n ? from + step : t->n;
        enum ship_result result = send_part(t, from, to, at, &answer);
        if (result == SHIP_SENT) {
            note_success(t);
            for (; from < to; from++) {
                at += t->lens[from];
            }
        } else if (result == SHIP_TOO_LARGE && step > 1) {
            step /= 2;
        } else if (wait_ms(t, next_pause(t, answer.retry_after_ms)) || is_to_end(t)) {
            return false;
        }
    }
    return true;
}

static void find_last_time(struct ship_task *t)
{
    struct ship_line line;
    size_t len = t->lens[t->n - 1];

    ship_line_read(span_of(t->raw.data + t->raw.len - len, len), &line);
    t->last_ns = line.time_ns;
}

/* --- the thread -------------------------------------------------------------------------- */

static void *run(void *context)
{
    struct ship_task *t = context;
    struct error err;

    for (bool is_over = false; !is_over && !is_to_end(t);) {
        enum ship_follow_result result = fill(t, &err);
        if (t->n > 0) {
            find_last_time(t);
            is_over = !deliver(t);
            if (!is_over) {
                save_batch(t);
            }
            continue;
        }
        if (result == SHIP_FOLLOW_FAILED) {
            complain(t, &err);
        } else {
            save_idle(t);
            is_over = is_drained(t);
        }
        is_over = is_over || wait_ms(t, POLL_MS);
    }
    (void)pthread_mutex_lock(&t->lock);
    t->is_over = true;
    (void)pthread_cond_broadcast(&t->changed);
    (void)pthread_mutex_unlock(&t->lock);
    return NULL;
}

void ship_task_free(struct ship_task *t)
{
    if (t == NULL) {
        return;
    }
    ship_sender_free(t->sender);
    ship_follow_deinit(&t->follow);
    ship_batch_deinit(&t->batch);
    buf_deinit(&t->raw);
    (void)pthread_mutex_destroy(&t->lock);
    (void)pthread_cond_destroy(&t->changed);
    free(t);
}

static bool open_task(struct ship_task *t, const struct ship_config *c, struct error *err)
{
    if (!ship_position_path(c->state, t->sink->name, t->path, err) ||
        (!ship_position_read(t->path, &t->position, err) && err->kind != ERROR_NOT_FOUND) ||
        !ship_follow_init(&t->follow, c->log, &t->position, err)) {
        return false;
    }
    atomic_store(&t->counts.as_of_ns, t->position.as_of_ns);
    atomic_store(&t->counts.seq, t->position.seq);
    t->sender = ship_sender_new(t->sink, t->format->media_type, &t->is_cut, err);
    if (t->sender == NULL) {
        return false;
    }
    return pthread_create(&t->thread, NULL, run, t) == 0 || error_set(err, ERROR_SYSTEM, "ship: no thread");
}

struct ship_task *ship_task_start(const struct ship_config *config, const struct ship_sink *sink, struct error *err)
{
    struct ship_task *t = calloc(1, sizeof(*t));

    if (t == NULL || !condition_init(&t->changed)) {
        free(t);
        error_set(err, ERROR_NO_MEMORY, "ship: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&t->lock, NULL);
    t->sink = sink;
    t->format = ship_format(sink->format);
    buf_init(&t->raw, RAW_MAX);
    ship_batch_init(&t->batch);
    t->batch.is_framed = sink->syslog.host != NULL;
    if (!open_task(t, config, err)) {
        error_wrap(err, "sink " SPAN_FMT, SPAN_ARG(sink->name));
        ship_task_free(t);
        return NULL;
    }
    return t;
}

static void enter(struct ship_task *t, enum phase phase)
{
    (void)pthread_mutex_lock(&t->lock);
    t->phase = phase;
    t->drain_ns = clock_utc_ns();
    (void)pthread_cond_broadcast(&t->changed);
    (void)pthread_mutex_unlock(&t->lock);
}

void ship_task_end(struct ship_task *t)
{
    enter(t, PHASE_END);
}

void ship_task_drain(struct ship_task *t)
{
    enter(t, PHASE_DRAIN);
}

bool ship_task_join(struct ship_task *t, int64_t deadline_ms)
{
    struct timespec until = clock_timespec(deadline_ms * 1000000);
    bool has_time = true;

    (void)pthread_mutex_lock(&t->lock);
    while (has_time && !t->is_over) {
        has_time = pthread_cond_timedwait(&t->changed, &t->lock, &until) == 0;
    }
    bool is_orderly = t->is_over;
    atomic_store(&t->is_cut, true);
    (void)pthread_cond_broadcast(&t->changed);
    (void)pthread_mutex_unlock(&t->lock);
    (void)pthread_join(t->thread, NULL);
    return is_orderly;
}
