/* decision_writer.c - the thread that writes a decision log: waits, writes a batch, syncs when somebody waits, changes the file. */
#include "decision_log/decision_writer.h"

#include "base/clock.h"

/* Sleeps until something may have come, or until `until_ms`; negative: without end. */
static void sleep_until(struct decision_log *log, enum rest rest, int64_t until_ms)
{
    log->rest = rest;
    if (until_ms < 0) {
        (void)pthread_cond_wait(&log->work, &log->mutex);
    } else {
        const struct timespec until = clock_timespec(until_ms * 1000000);
        (void)pthread_cond_timedwait(&log->work, &log->mutex, &until);
    }
    log->rest = REST_NONE;
}

bool decision_writer_is_urgent(const struct decision_log *log)
{
    return log->is_stopping || log->next != NULL || decision_queue_is_urgent(log->filling);
}

/* When the writer has something to do though no line comes: a sync that is due, or another try
 * after a failure. Negative: never. */
static int64_t next_duty_ms(const struct decision_log *log)
{
    if (!atomic_load(&log->is_healthy)) {
        return log->tried_at_ms + DECISION_SYNC_MS;
    }
    return log->file.synced != log->file.kept ? log->synced_at_ms + DECISION_SYNC_MS : -1;
}

static int64_t linger_ms(const struct decision_log *log)
{
    return log->filling->n_deferred > 0 ? DECISION_DEFER_MS : DECISION_LINGER_MS;
}

/* Lines for which nobody waits are let gather, so that a busy producer wakes the writer once for
 * many. */
static void wait_for_work(struct decision_log *log)
{
    int64_t duty = next_duty_ms(log);

    while (!decision_writer_is_urgent(log) && log->filling->n == 0 && (duty < 0 || clock_monotonic_ms() < duty)) {
        sleep_until(log, REST_ASLEEP, duty);
    }
    int64_t since = clock_monotonic_ms();
    while (!decision_writer_is_urgent(log) && log->filling->n > 0 && clock_monotonic_ms() < since + linger_ms(log)) {
        sleep_until(log, REST_LINGERING, since + linger_ms(log));
    }
}

/* Sync when a caller waits for it, when the last one is long ago, and to learn whether a disk that
 * failed works again. */
static bool is_sync_due(const struct decision_log *log, const struct decision_queue *queue)
{
    return queue->n_waiting > 0 || !atomic_load(&log->is_healthy) ||
           clock_monotonic_ms() >= log->synced_at_ms + DECISION_SYNC_MS;
}

static bool write_and_sync(struct decision_log *log, struct error *err)
{
    const struct decision_queue *queue = log->writing;
    uint64_t lost = log->batch.lost;
    uint64_t synced_seq = log->file.synced_seq;
    uint64_t kept = log->file.seq;
    decision_before_fn *before = atomic_load(&log->before);

    log->tried_at_ms = clock_monotonic_ms();
    if ((before != NULL && !before(log->before_context, err)) ||
        !decision_batch_write(&log->batch, &log->file, queue, err)) {
        log->batch.lost += queue->n;
        return false;
    }
    if (!is_sync_due(log, queue)) {
        return true;
    }
    if (!decision_file_sync(&log->file, err)) {
        log->batch.lost = lost + queue->n + (kept - synced_seq);
        return false;
    }
    log->synced_at_ms = clock_monotonic_ms();
    return true;
}

static void finish_batch(struct decision_log *log)
{
    struct error err;
    bool is_written = write_and_sync(log, &err);
    const struct decision_queue *queue = log->writing;

    if (!is_written) {
        (void)pthread_mutex_lock(&log->mutex);
        log->last_error = err;
        (void)pthread_mutex_unlock(&log->mutex);
    }
    atomic_store(&log->is_healthy, is_written);
    atomic_store(&log->synced, log->file.synced_seq);
    if (log->proof != NULL) {
        decision_proof_publish(log->proof, &log->file);
    }
    for (size_t i = 0; queue->n_waiting > 0 && i < queue->n; i++) {
        struct queued_line line = decision_queue_line(queue, i);
        if (line.done != NULL) {
            line.done(line.context, is_written);
        }
    }
}

/* The old file is complete before the new one is begun. */
static void switch_file(struct decision_log *log, struct decision_file *next)
{
    uint64_t unsynced = log->file.seq - log->file.synced_seq;
    struct error err;

    if (!decision_file_sync(&log->file, &err)) {
        log->batch.lost += unsynced;
    }
    if (next->seq < log->file.seq) {
        next->seq = next->synced_seq = log->file.seq;
    }
    if (log->proof != NULL) {
        decision_proof_switch(log->proof, &log->file, next);
    } else {
        decision_file_close(&log->file);
    }
    log->file = *next;
}

/* One batch; false when there will be no other. */
static bool write_batch(struct decision_log *log)
{
    (void)pthread_mutex_lock(&log->mutex);
    wait_for_work(log);
    struct decision_queue *full = log->filling;
    struct decision_file *next = log->next;
    bool is_last = log->is_stopping && full->n == 0;
    log->filling = log->writing;
    log->writing = full;
    log->batch.lost += log->refused;
    log->refused = 0;
    (void)pthread_mutex_unlock(&log->mutex);

    if (next != NULL) {
        switch_file(log, next);
        (void)pthread_mutex_lock(&log->mutex);
        log->next = NULL;
        (void)pthread_cond_broadcast(&log->switched);
        (void)pthread_mutex_unlock(&log->mutex);
    }
    finish_batch(log);
    decision_queue_clear(log->writing);
    return !is_last;
}

void *decision_writer_run(void *log)
{
    while (write_batch(log)) {
    }
    return NULL;
}
