/* decision_log.c - the queue of lines: opened, appended to by any thread, closed; decision_writer.c empties it.
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

#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "decision_log/decision_repair.h"
#include "decision_log/decision_writer.h"
#include "record/signer.h"

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
    decision_queue_deinit(&log->unsynced);
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
    return thread_start(&log->thread, decision_writer_run, log, err);
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
    decision_queue_init(&log->unsynced);
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
    wake_writer(log, decision_writer_is_urgent(log) || (entry->is_deferred && log->filling->n_deferred == 1));
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

bool decision_log_append_deferred(struct decision_log *log, struct span line, decision_done_fn *done, void *context,
                                  struct error *err)
{
    const struct queued_line entry = {.len = line.len, .is_deferred = true, .done = done, .context = context};

    return append(log, line.ptr, &entry, err);
}

void decision_log_flush(struct decision_log *log)
{
    (void)pthread_mutex_lock(&log->mutex);
    if (log->filling->n_deferred == 0) {
        (void)pthread_mutex_unlock(&log->mutex); /* they are being written */
        return;
    }
    log->filling->n_deferred = 0;
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
