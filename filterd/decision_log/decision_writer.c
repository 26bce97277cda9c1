/* decision_writer.c - the thread that writes a decision log: waits, writes a batch, syncs when somebody waits, changes the file.
 *
 * A line that somebody waits for is told to be on disk, or it is lost and counted. A line that nobody waits for belongs to an answer
 * that was given already, so it is kept in memory until it is on disk, and written again after a failure: see `unsynced`. */
#include "decision_log/decision_writer.h"

#include "base/clock.h"
#include "base/log.h"

enum { UNSYNCED_BYTES = 8 * 1024 * 1024 /* of lines that nobody waits for; with more a sync is due */ };

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

/* Sync when a caller waits for it, when the last one is long ago, when a number of lost lines must not be lost itself, and to learn
 * whether a disk that failed works again. */
static bool is_sync_due(const struct decision_log *log, uint64_t lost)
{
    return log->writing->n_waiting > 0 || lost > 0 || !atomic_load(&log->is_healthy) ||
           log->unsynced.bytes.len >= UNSYNCED_BYTES || clock_monotonic_ms() >= log->synced_at_ms + DECISION_SYNC_MS;
}

static bool write_lines(struct decision_log *log, struct error *err)
{
    decision_before_fn *before = atomic_load(&log->before);

    if (before != NULL && !before(log->before_context, err)) {
        return false;
    }
    if (log->is_cut && !decision_batch_write(&log->batch, &log->file, &log->unsynced, err)) {
        return false;
    }
    log->is_cut = false;
    return decision_batch_write(&log->batch, &log->file, log->writing, err);
}

/* The lines of this batch that nobody waits for; the others count as lost when they were not written. */
static void keep_unsynced(struct decision_log *log, bool is_written)
{
    const struct decision_queue *queue = log->writing;
    struct error ignored;
    size_t at = 0;

    for (size_t i = 0; i < queue->n; i++) {
        struct queued_line line = decision_queue_line(queue, i);
        bool is_kept = line.done == NULL && decision_queue_add(&log->unsynced, queue->bytes.data + at, &line, &ignored);
        log->batch.lost += !is_kept && !is_written;
        at += line.len;
    }
}

/* What the file has is on disk, or was cut off again: `unsynced` goes, or is to be written again. */
static bool sync_lines(struct decision_log *log, struct error *err)
{
    if (!decision_file_sync(&log->file, err)) {
        log->is_cut = true;
        return false;
    }
    if (!log->is_cut) {
        decision_queue_clear(&log->unsynced);
    }
    return true;
}

static bool write_and_sync(struct decision_log *log, struct error *err)
{
    uint64_t lost = log->batch.lost;
    struct error ignored;

    log->tried_at_ms = clock_monotonic_ms();
    bool is_written = write_lines(log, err);
    if (is_written && !is_sync_due(log, lost)) {
        keep_unsynced(log, true);
        return true;
    }
    bool is_synced = sync_lines(log, is_written ? err : &ignored);
    if (is_written && is_synced) {
        log->synced_at_ms = clock_monotonic_ms();
        return true;
    }
    log->batch.lost = is_synced ? log->batch.lost : lost;
    keep_unsynced(log, false);
    log->is_cut = true;
    return false;
}

/* Once for each time, not for each batch that fails. */
static void report(const struct decision_log *log, bool is_written, const struct error *err)
{
    if (is_written == atomic_load(&log->is_healthy)) {
        return;
    }
    if (is_written) {
        log_info("record: lines are written again; a line of type loss has the number of those that are missing");
    } else {
        log_error("record: every answer is a block until lines can be written, tried again every %d ms: %s: %s", DECISION_SYNC_MS,
                  log->path, err->text);
    }
}

static void finish_batch(struct decision_log *log)
{
    struct error err = {.text = ""};
    bool is_written = write_and_sync(log, &err);
    const struct decision_queue *queue = log->writing;

    if (!is_written) {
        (void)pthread_mutex_lock(&log->mutex);
        log->last_error = err;
        (void)pthread_mutex_unlock(&log->mutex);
    }
    report(log, is_written, &err);
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
    struct error err;

    if (!sync_lines(log, &err)) {
        /* They are written into the next file. */
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
    const struct decision_log *l = log;
    if (l->is_cut && l->unsynced.n > 0) {
        log_error("record: the lines of %zu answers that were given could not be written: %s", l->unsynced.n, l->path);
    }
    return NULL;
}
