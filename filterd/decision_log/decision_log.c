/* decision_log.c - the queue of lines and the thread that writes them.
 *
 * Two queues: producers append to `filling`, the writer swaps it with its own and writes that without the lock.
 *
 * Invariants:
 *   - Lines are written in the order in which they were appended, and every `done` is called once, in that order.
 *   - `done` says true only after fdatasync of a file that has the whole line.
 *   - The mutex is never held across a call that may block on the disk, so a slow disk delays no producer.
 *   - The proof is made by a thread of its own: the writer only publishes how far the file is on disk.
 *   - A batch that fails is cut off the file before anything else is written, so the file never has half a line between
 *     whole ones. */
#include "decision_log/decision_log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "decision_log/decision_begin.h"
#include "decision_log/decision_proof.h"
#include "decision_log/decision_repair.h"
#include "record/signer.h"

/* How long the writer's sleep goes on when a line comes: until it, or until one that is urgent. */
enum rest { REST_NONE, REST_LINGERING, REST_ASLEEP };

struct decision_log {
    char *path;
    size_t n_repaired;
    struct decision_proving proving;
    struct decision_proof *proof; /* NULL: none */
    int folder;                   /* locked while there is a proof; -1: none */
    _Atomic(decision_before_fn *) before;
    void *before_context; /* set once, before `before` */
    atomic_bool is_healthy;
    _Atomic uint64_t synced; /* number of the last line that is on disk */
    pthread_t thread;
    pthread_mutex_t reopening; /* one reopen at a time */

    pthread_mutex_t mutex; /* guards what follows, never held across a call that may block */
    pthread_cond_t work, switched;
    struct decision_queue *filling;
    struct decision_file *next; /* to be used from the next batch on */
    uint64_t refused;           /* lines that found the queue full */
    enum rest rest;
    bool is_stopping;
    struct error last_error;

    /* The writer's. */
    struct decision_file file;
    struct decision_queue *writing;
    struct decision_batch batch;
    int64_t synced_at_ms, tried_at_ms;
    struct decision_queue queues[2];
};

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

static bool is_urgent(const struct decision_log *log)
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
    return log->filling->n_patient > 0 ? DECISION_PATIENCE_MS : DECISION_LINGER_MS;
}

/* Lines for which nobody waits are let gather, so that a busy producer wakes the writer once for
 * many. */
static void wait_for_work(struct decision_log *log)
{
    int64_t duty = next_duty_ms(log);

    while (!is_urgent(log) && log->filling->n == 0 && (duty < 0 || clock_monotonic_ms() < duty)) {
        sleep_until(log, REST_ASLEEP, duty);
    }
    int64_t since = clock_monotonic_ms();
    while (!is_urgent(log) && log->filling->n > 0 && clock_monotonic_ms() < since + linger_ms(log)) {
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

static void *run_writer(void *log)
{
    while (write_batch(log)) {
    }
    return NULL;
}

static bool init_conditions(struct decision_log *log)
{
    return condition_init(&log->work) && pthread_cond_init(&log->switched, NULL) == 0 &&
           pthread_mutex_init(&log->mutex, NULL) == 0 && pthread_mutex_init(&log->reopening, NULL) == 0;
}

static void free_log(struct decision_log *log)
{
    struct error ignored; /* what has no checkpoint gets one at the next start; the notice said so */

    (void)decision_proof_close(log->proof, &ignored);
    decision_file_close(&log->file);
    cleanup_fd(&log->folder);
    decision_batch_deinit(&log->batch);
    decision_queue_deinit(&log->queues[0]);
    decision_queue_deinit(&log->queues[1]);
    free(log->path);
    free(log);
}

/* Which log it is, and whether its lines are what was signed. */
static bool open_proof(struct decision_log *log, struct error *err)
{
    struct decision_place place;
    struct decision_start start;
    struct note_key key;

    if (!decision_place_init(&place, log->path, err) || (log->folder = decision_place_lock(&place, err)) < 0 ||
        !decision_begin(&place, &log->proving, &log->batch, &log->file, err) ||
        !signer_key(log->proving.signer, span_str(log->batch.origin), &key, err) ||
        !decision_start(&place, &key, &log->file, log->batch.origin, &start, err)) {
        return false;
    }
    log->proof = decision_proof_new(&place, &log->proving, log->batch.origin, &start, &log->file, err);
    return log->proof != NULL;
}

static bool open_parts(struct decision_log *log, const char *path, struct error *err)
{
    log->path = strdup(path);
    if (log->path == NULL || !init_conditions(log)) {
        return error_set(err, ERROR_NO_MEMORY, "decision log: no memory");
    }
    if (!decision_batch_init(&log->batch, err) || !decision_file_open(&log->file, path, err) ||
        (log->proving.signer != NULL && !open_proof(log, err))) {
        return false;
    }
    bool is_reported = log->file.dropped == 0 || (decision_batch_write(&log->batch, &log->file, NULL, err) &&
                                              decision_file_sync(&log->file, err));
    if (!is_reported || !decision_repair(&log->batch, &log->file, &log->n_repaired, err)) {
        return false;
    }
    if (log->proof != NULL) {
        decision_proof_publish(log->proof, &log->file);
    }
    atomic_init(&log->synced, log->file.synced_seq);
    return thread_start(&log->thread, run_writer, log, err);
}

static struct decision_log *open_log(const char *path, const struct decision_proving *proving, struct error *err)
{
    struct decision_log *log = calloc(1, sizeof(*log));

    if (log == NULL) {
        error_set(err, ERROR_NO_MEMORY, "decision log: no memory");
        return NULL;
    }
    log->proving = *proving;
    log->file.fd = log->folder = -1;
    decision_queue_init(&log->queues[0]);
    decision_queue_init(&log->queues[1]);
    log->filling = &log->queues[0];
    log->writing = &log->queues[1];
    log->synced_at_ms = clock_monotonic_ms();
    atomic_init(&log->is_healthy, true);
    if (!open_parts(log, path, err)) {
        free_log(log);
        return NULL;
    }
    return log;
}

struct decision_log *decision_log_open(const char *path, struct error *err)
{
    const struct decision_proving none = {.signer = NULL};

    return open_log(path, &none, err);
}

struct decision_log *decision_log_open_proven(const char *path, const struct decision_proving *proving, struct error *err)
{
    return open_log(path, proving, err);
}

void decision_log_close(struct decision_log *log)
{
    struct error err;

    if (log == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&log->mutex);
    log->is_stopping = true;
    (void)pthread_cond_signal(&log->work);
    (void)pthread_mutex_unlock(&log->mutex);
    (void)pthread_join(log->thread, NULL);
    if (!decision_file_sync(&log->file, &err)) {
        /* Lines with `done` were synced before; the others have no caller to notify. */
    }
    if (log->proof != NULL) {
        decision_proof_publish(log->proof, &log->file);
    }
    (void)pthread_cond_destroy(&log->work);
    (void)pthread_cond_destroy(&log->switched);
    (void)pthread_mutex_destroy(&log->mutex);
    (void)pthread_mutex_destroy(&log->reopening);
    free_log(log);
}

/* Unlocks. `is_sooner`: to be written before the end of lingering. One signal is enough. */
static void wake_writer(struct decision_log *log, bool is_sooner)
{
    bool must = log->rest == REST_ASLEEP || (log->rest == REST_LINGERING && is_sooner);

    log->rest = must ? REST_NONE : log->rest;
    (void)pthread_mutex_unlock(&log->mutex);
    if (must) {
        (void)pthread_cond_signal(&log->work);
    }
}

static bool append(struct decision_log *log, const char *line, const struct queued_line *entry, struct error *err)
{
    (void)pthread_mutex_lock(&log->mutex);
    bool is_added = decision_queue_add(log->filling, line, entry, err);
    log->refused += !is_added && err->kind != ERROR_INVALID;
    wake_writer(log, is_urgent(log) || (entry->is_patient && log->filling->n_patient == 1));
    return is_added;
}

bool decision_log_append(struct decision_log *log, struct span line, decision_done_fn *done,
                         void *context, struct error *err)
{
    return decision_log_append_receipt(log, line, NULL, done, context, err);
}

bool decision_log_append_receipt(struct decision_log *log, struct span line, struct decision_receipt *receipt,
                                 decision_done_fn *done, void *context, struct error *err)
{
    const struct queued_line entry = {.len = line.len, .receipt = receipt, .done = done, .context = context};

    return append(log, line.ptr, &entry, err);
}

bool decision_log_append_patient(struct decision_log *log, struct span line, decision_done_fn *done, void *context,
                                 struct error *err)
{
    const struct queued_line entry = {.len = line.len, .is_patient = true, .done = done, .context = context};

    return append(log, line.ptr, &entry, err);
}

void decision_log_hurry(struct decision_log *log)
{
    (void)pthread_mutex_lock(&log->mutex);
    if (log->filling->n_patient == 0) {
        (void)pthread_mutex_unlock(&log->mutex); /* they are being written */
        return;
    }
    log->filling->n_patient = 0;
    wake_writer(log, true);
}

void decision_log_last_error(struct decision_log *log, struct error *err)
{
    (void)pthread_mutex_lock(&log->mutex);
    *err = log->last_error;
    (void)pthread_mutex_unlock(&log->mutex);
}

void decision_log_before_write(struct decision_log *log, decision_before_fn *before, void *context)
{
    log->before_context = context;
    atomic_store(&log->before, before);
}

size_t decision_log_repaired(const struct decision_log *log)
{
    return log->n_repaired;
}

bool decision_log_is_healthy(const struct decision_log *log)
{
    return atomic_load(&log->is_healthy) && (log->proof == NULL || decision_proof_is_healthy(log->proof));
}

uint64_t decision_log_synced(const struct decision_log *log)
{
    return atomic_load(&log->synced);
}

uint64_t decision_log_signed(const struct decision_log *log)
{
    return log->proof == NULL ? 0 : decision_proof_signed(log->proof);
}

uint64_t decision_log_signed_before(const struct decision_log *log)
{
    return log->proof == NULL ? 0 : decision_proof_signed_before(log->proof);
}

bool decision_log_checkpoint(struct decision_log *log, struct error *err)
{
    return log->proof == NULL ? error_set(err, ERROR_INVALID, "record: it has no proof")
                              : decision_proof_wait(log->proof, err);
}

/* Hands the file to the writer and waits until it has taken it. */
static void hand_over(struct decision_log *log, struct decision_file *next)
{
    (void)pthread_mutex_lock(&log->mutex);
    log->next = next;
    (void)pthread_cond_signal(&log->work);
    while (log->next != NULL) {
        (void)pthread_cond_wait(&log->switched, &log->mutex);
    }
    (void)pthread_mutex_unlock(&log->mutex);
}

/* Into a file with lines a proven log cannot go on: they are not the ones behind its last. */
static bool open_next(struct decision_log *log, struct decision_file *next, struct error *err)
{
    if (log->proof != NULL && !decision_proof_can_switch(log->proof) && !decision_proof_wait(log->proof, err)) {
        return error_wrap(err, "the lines of the file before are not proven yet");
    }
    if (!decision_file_open(next, log->path, err)) {
        return false;
    }
    if (log->proof != NULL && !next->is_empty) {
        decision_file_close(next);
        return error_set(err, ERROR_INVALID, "%s: no file or an empty one expected", log->path);
    }
    return true;
}

/* What fails is tried again every second; the notice says so. */
static void prove_old(struct decision_log *log)
{
    struct error ignored;

    if (log->proof != NULL && !decision_proof_wait(log->proof, &ignored)) {
        return;
    }
}

bool decision_log_reopen(struct decision_log *log, struct error *err)
{
    struct decision_file next;
    struct stat info;

    (void)pthread_mutex_lock(&log->reopening);
    /* The path still names the file in use: nothing was moved away. Its identity only changes
     * under this lock, in hand_over. */
    bool is_same = stat(log->path, &info) == 0 && info.st_dev == log->file.device &&
                   info.st_ino == log->file.inode;
    bool is_open = is_same || open_next(log, &next, err);
    if (is_open && !is_same) {
        hand_over(log, &next);
        prove_old(log);
    }
    (void)pthread_mutex_unlock(&log->reopening);
    return is_open;
}
