#include "budget/budget_store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "database/database.h"

enum { BATCH = 256, LOOK_S = 1, SWEEP_S = 60 };

struct budget_store {
    struct budgets *budgets;
    struct database file;
    char *path;
    sqlite3_stmt *put, *drop;
    struct budget_image image;  /* of the thread */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;
    bool is_due, is_stopping, is_running;
    pthread_t thread;
    atomic_bool is_healthy;
};

/* Hashes that have left are overwritten. */
static const struct database_form form = {
    .name = "budgets",
    .settings = "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON",
    .schema = "CREATE TABLE IF NOT EXISTS accounts(key BLOB PRIMARY KEY, window_s INTEGER NOT NULL, image BLOB NOT NULL) WITHOUT ROWID",
    .version = 1,
    .is_lenient = true,
};

static uint32_t now_s(void)
{
    return (uint32_t)(budgets_now_ns() / 1000000000);
}

/* --- writing -------------------------------------------------------------- */

static bool put_image(struct budget_store *s, const struct budget_image *i)
{
    bool is_bound = sqlite3_bind_blob(s->put, 1, i->key.bytes, BUDGET_KEY, SQLITE_STATIC) == SQLITE_OK &&
                    sqlite3_bind_int64(s->put, 2, i->window_s) == SQLITE_OK &&
                    sqlite3_bind_blob(s->put, 3, i->bytes, (int)i->len, SQLITE_STATIC) == SQLITE_OK;
    bool is_put = is_bound && sqlite3_step(s->put) == SQLITE_DONE;

    (void)sqlite3_reset(s->put);
    return is_put;
}

static bool drop_image(struct budget_store *s, const struct budget_image *i)
{
    bool is_dropped = sqlite3_bind_blob(s->drop, 1, i->key.bytes, BUDGET_KEY, SQLITE_STATIC) == SQLITE_OK &&
                      sqlite3_step(s->drop) == SQLITE_DONE;

    (void)sqlite3_reset(s->drop);
    return is_dropped;
}

/* Up to BATCH of what changed. Sets their number; nothing of it counts as stored when it fails. */
static bool write_batch(struct budget_store *s, size_t *n, struct error *err)
{
    struct budget_account_key keys[BATCH];

    *n = 0;
    bool is_written = database_execute(&s->file, "BEGIN IMMEDIATE", err);
    while (is_written && *n < BATCH && budgets_take_changed(s->budgets, &s->image)) {
        keys[(*n)++] = s->image.key;
        is_written = s->image.is_gone ? drop_image(s, &s->image) : put_image(s, &s->image);
    }
    is_written = is_written ? database_execute(&s->file, "COMMIT", err) : database_fail(&s->file, err);
    if (!is_written) {
        (void)sqlite3_exec(s->file.db, "ROLLBACK", NULL, NULL, NULL);
        for (size_t i = 0; i < *n; i++) {
            budgets_give_back(s->budgets, &keys[i]);
        }
    }
    return is_written;
}

static bool write_all(struct budget_store *s, struct error *err)
{
    size_t n = BATCH;
    bool is_written = true;

    while (n == BATCH && is_written) {
        is_written = write_batch(s, &n, err);
    }
    database_note(&s->file, s->path);
    return is_written;
}

static bool prepare(struct budget_store *s, struct error *err)
{
    s->put = database_prepare(&s->file, "REPLACE INTO accounts VALUES(?, ?, ?)", err);
    s->drop = s->put == NULL ? NULL : database_prepare(&s->file, "DELETE FROM accounts WHERE key = ?", err);
    return s->drop != NULL;
}

static void finalize(struct budget_store *s)
{
    (void)sqlite3_finalize(s->put);
    (void)sqlite3_finalize(s->drop);
    s->put = s->drop = NULL;
}

/* Somebody has removed or written the file: all accounts go to another one. */
static bool write_anew(struct budget_store *s, struct error *err)
{
    finalize(s);
    budgets_give_all(s->budgets);
    return database_renew(&s->file, s->path, err) && prepare(s, err) && write_all(s, err);
}

/* --- the thread ----------------------------------------------------------- */

/* Until something is due, or the file is to be looked at; false when the store is stopping. */
static bool wait_for_work(struct budget_store *s, bool is_written, bool *is_due)
{
    const struct timespec until = clock_timespec(clock_read_ns(CLOCK_MONOTONIC) + LOOK_S * 1000000000LL);
    int timed_out = 0;

    (void)pthread_mutex_lock(&s->lock);
    while (!s->is_stopping && timed_out == 0 && !(is_written && s->is_due)) {
        timed_out = pthread_cond_timedwait(&s->work, &s->lock, &until);
    }
    bool goes_on = !s->is_stopping;
    *is_due = s->is_due || !goes_on || !is_written;
    s->is_due = false;
    (void)pthread_mutex_unlock(&s->lock);
    return goes_on;
}

static void *run(void *context)
{
    struct budget_store *s = context;
    bool goes_on = true, is_written = true;
    uint32_t swept_s = now_s();
    struct error err;

    while (goes_on) {
        bool is_due = false;
        goes_on = wait_for_work(s, is_written, &is_due);
        if (now_s() - swept_s >= SWEEP_S) {
            swept_s = now_s();
            budgets_sweep(s->budgets, swept_s);
            is_due = true;
        }
        is_written = database_was_touched(&s->file, s->path) ? write_anew(s, &err) : !is_due || write_all(s, &err);
        budgets_set_stored(s->budgets, is_written);
        database_report(&s->file, s->path, atomic_load(&s->is_healthy), is_written, &err);
        atomic_store(&s->is_healthy, is_written);
    }
    return NULL;
}

static void wake(void *context)
{
    struct budget_store *s = context;

    (void)pthread_mutex_lock(&s->lock);
    s->is_due = true;
    (void)pthread_cond_signal(&s->work);
    (void)pthread_mutex_unlock(&s->lock);
}

bool budget_store_start(struct budget_store *s, struct error *err)
{
    s->is_running = pthread_create(&s->thread, NULL, run, s) == 0;
    return s->is_running || error_set(err, ERROR_SYSTEM, "budgets: a thread cannot be started");
}

bool budget_store_is_healthy(const struct budget_store *s)
{
    return s == NULL || atomic_load(&s->is_healthy);
}

/* --- opening -------------------------------------------------------------- */

static bool restore_row(struct budget_store *s, sqlite3_stmt *row, struct error *err)
{
    const void *key = sqlite3_column_blob(row, 0), *image = sqlite3_column_blob(row, 2);
    int64_t window_s = sqlite3_column_int64(row, 1);
    int len = sqlite3_column_bytes(row, 2);

    if (key == NULL || image == NULL || sqlite3_column_bytes(row, 0) != BUDGET_KEY || len > BUDGET_IMAGE_MAX ||
        window_s <= 0 || window_s > UINT32_MAX) {
        return error_set(err, ERROR_INVALID, "budgets: images of accounts expected in the store");
    }
    memcpy(s->image.key.bytes, key, BUDGET_KEY);
    s->image.window_s = (uint32_t)window_s;
    s->image.len = (size_t)len;
    memcpy(s->image.bytes, image, (size_t)len);
    return budgets_restore(s->budgets, &s->image, now_s(), err);
}

static bool restore(struct budget_store *s, struct error *err)
{
    sqlite3_stmt *rows = database_prepare(&s->file, "SELECT key, window_s, image FROM accounts", err);
    int step = SQLITE_ROW;

    bool is_good = rows != NULL;
    while (is_good && (step = sqlite3_step(rows)) == SQLITE_ROW) {
        is_good = restore_row(s, rows, err);
    }
    is_good = is_good && (step == SQLITE_DONE || database_fail(&s->file, err));
    (void)sqlite3_finalize(rows);
    return is_good;
}

static bool open_all(struct budget_store *s, const char *path, struct error *err)
{
    s->path = strdup(path);
    if (s->path == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "budgets: no memory");
    }
    if (!database_open(&s->file, path, &form, err)) {
        return false;
    }
    if (!restore(s, err)) {
        return error_wrap(err, "%s", path);
    }
    return prepare(s, err) && write_all(s, err);
}

struct budget_store *budget_store_open(const char *path, struct budgets *budgets, struct error *err)
{
    struct budget_store *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "budgets: no memory");
        return NULL;
    }
    s->budgets = budgets;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)condition_init(&s->work);
    atomic_init(&s->is_healthy, true);
    budgets_keep_changes(budgets, wake, s);
    if (!open_all(s, path, err)) {
        budgets_clear(budgets); /* of what was read, so that the file can be opened again once it is mended */
        budget_store_close(s);
        return NULL;
    }
    return s;
}

void budget_store_close(struct budget_store *s)
{
    if (s == NULL) {
        return;
    }
    if (s->is_running) {
        (void)pthread_mutex_lock(&s->lock);
        s->is_stopping = true;
        (void)pthread_cond_signal(&s->work);
        (void)pthread_mutex_unlock(&s->lock);
        (void)pthread_join(s->thread, NULL);
    }
    budgets_keep_changes(s->budgets, NULL, NULL);
    finalize(s);
    database_close(&s->file);
    free(s->path);
    (void)pthread_cond_destroy(&s->work);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}
