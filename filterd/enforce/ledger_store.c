#include "enforce/ledger_store.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "database/database.h"

enum { BATCH = 256, COUNTS_MAX = VIOLATION_COUNT * 24 + 32, LOOK_S = 1 };

struct ledger_store {
    struct ledger *ledger;
    struct database file;
    char *path;
    sqlite3_stmt *put, *drop;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;
    bool is_due, is_stopping, is_running;
    pthread_t thread;
    atomic_bool is_healthy;
};

/* A commit writes whole pages, and an account is small. */
static const struct database_form form = {
    .name = "ledger",
    .settings = "PRAGMA page_size=512; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL",
    .schema = "CREATE TABLE IF NOT EXISTS accounts(slot INTEGER PRIMARY KEY, tenant TEXT NOT NULL, agent TEXT NOT NULL,"
              " score REAL NOT NULL, standing INTEGER NOT NULL, first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL,"
              " asked_ns INTEGER NOT NULL, counts TEXT NOT NULL)",
    .version = 1,
    .is_lenient = true,
};

/* --- counts --------------------------------------------------------------- */

/* "secret=1,block=2": by name, so that a kind more or less changes no old file. The newest order of the fleet is among them. */
static void print_counts(const struct agent_account *a, char text[COUNTS_MAX])
{
    size_t len = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < VIOLATION_COUNT; i++) {
        if (a->counts[i] > 0) {
            int n = snprintf(text + len, COUNTS_MAX - len, "%s%s=%" PRIu32, len > 0 ? "," : "",
                             violation_name((enum violation)i), a->counts[i]);
            len += n > 0 ? (size_t)n : 0;
        }
    }
    if (a->order > 0) {
        (void)snprintf(text + len, COUNTS_MAX - len, "%sorder=%" PRIu64, len > 0 ? "," : "", a->order);
    }
}

static void read_counts(const char *text, struct agent_account *a)
{
    while (*text != '\0') {
        size_t name = strcspn(text, "=,"), all = strcspn(text, ",");
        enum violation v = VIOLATION_SECRET;
        if (text[name] == '=' && violation_find(span_of(text, name), &v)) {
            a->counts[v] = (uint32_t)strtoul(text + name + 1, NULL, 10);
        } else if (text[name] == '=' && span_equal(span_of(text, name), span_str("order"))) {
            a->order = strtoull(text + name + 1, NULL, 10);
        }
        text += all + (text[all] == ',' ? 1 : 0);
    }
}

/* --- writing -------------------------------------------------------------- */

static bool put_account(struct ledger_store *s, const struct agent_account *a)
{
    char counts[COUNTS_MAX];

    print_counts(a, counts);
    bool is_bound = sqlite3_bind_int64(s->put, 1, a->slot) == SQLITE_OK &&
                    sqlite3_bind_text(s->put, 2, a->tenant, -1, SQLITE_STATIC) == SQLITE_OK &&
                    sqlite3_bind_text(s->put, 3, a->agent, -1, SQLITE_STATIC) == SQLITE_OK &&
                    sqlite3_bind_double(s->put, 4, a->score) == SQLITE_OK &&
                    sqlite3_bind_int64(s->put, 5, a->standing) == SQLITE_OK &&
                    sqlite3_bind_int64(s->put, 6, a->first_ns) == SQLITE_OK &&
                    sqlite3_bind_int64(s->put, 7, a->last_ns) == SQLITE_OK &&
                    sqlite3_bind_int64(s->put, 8, a->asked_ns) == SQLITE_OK &&
                    sqlite3_bind_text(s->put, 9, counts, -1, SQLITE_STATIC) == SQLITE_OK;
    bool is_put = is_bound && sqlite3_step(s->put) == SQLITE_DONE;
    (void)sqlite3_reset(s->put);
    return is_put;
}

static bool drop_slot(struct ledger_store *s, uint32_t slot)
{
    bool is_dropped = sqlite3_bind_int64(s->drop, 1, slot) == SQLITE_OK && sqlite3_step(s->drop) == SQLITE_DONE;

    (void)sqlite3_reset(s->drop);
    return is_dropped;
}

/* Up to BATCH of what changed. Sets their number; nothing of it counts as stored when it fails. */
static bool write_batch(struct ledger_store *s, size_t *n, struct error *err)
{
    uint32_t slots[BATCH];
    struct agent_account a;

    *n = 0;
    bool is_written = database_execute(&s->file, "BEGIN IMMEDIATE", err);
    while (is_written && *n < BATCH && ledger_take_changed(s->ledger, LEDGER_STORE, &a)) {
        slots[(*n)++] = a.slot;
        is_written = a.is_used ? put_account(s, &a) : drop_slot(s, a.slot);
    }
    is_written = is_written ? database_execute(&s->file, "COMMIT", err) : database_fail(&s->file, err);
    if (!is_written) {
        (void)sqlite3_exec(s->file.db, "ROLLBACK", NULL, NULL, NULL);
        for (size_t i = 0; i < *n; i++) {
            ledger_give_back(s->ledger, LEDGER_STORE, slots[i]);
        }
    }
    return is_written;
}

static bool write_all(struct ledger_store *s, struct error *err)
{
    size_t n = BATCH;
    bool is_written = true;

    while (n == BATCH && is_written) {
        is_written = write_batch(s, &n, err);
    }
    database_note(&s->file, s->path);
    return is_written;
}

static bool prepare(struct ledger_store *s, struct error *err)
{
    static const char put[] = "REPLACE INTO accounts VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)";
    static const char drop[] = "DELETE FROM accounts WHERE slot = ?";

    s->put = database_prepare(&s->file, put, err);
    s->drop = s->put == NULL ? NULL : database_prepare(&s->file, drop, err);
    return s->drop != NULL;
}

static void finalize(struct ledger_store *s)
{
    (void)sqlite3_finalize(s->put);
    (void)sqlite3_finalize(s->drop);
    s->put = s->drop = NULL;
}

/* Somebody has removed or written the file: all accounts go to another one. */
static bool write_anew(struct ledger_store *s, struct error *err)
{
    finalize(s);
    ledger_give_all(s->ledger, LEDGER_STORE);
    return database_renew(&s->file, s->path, err) && prepare(s, err) && write_all(s, err);
}

/* --- the thread ----------------------------------------------------------- */

static void *run(void *context)
{
    struct ledger_store *s = context;
    bool is_stopping = false, is_written = true;
    struct error err;

    while (!is_stopping) {
        const struct timespec until = clock_timespec(clock_read_ns(CLOCK_MONOTONIC) + LOOK_S * 1000000000LL);
        (void)pthread_mutex_lock(&s->lock);
        int timed_out = 0;
        while (!s->is_stopping && timed_out == 0 && !(is_written && s->is_due)) {
            timed_out = pthread_cond_timedwait(&s->work, &s->lock, &until);
        }
        is_stopping = s->is_stopping;
        bool is_due = s->is_due || is_stopping || !is_written;
        s->is_due = false;
        (void)pthread_mutex_unlock(&s->lock);
        is_written = database_was_touched(&s->file, s->path) ? write_anew(s, &err) : !is_due || write_all(s, &err);
        database_report(&s->file, s->path, atomic_load(&s->is_healthy), is_written, &err);
        atomic_store(&s->is_healthy, is_written);
    }
    return NULL;
}

bool ledger_store_start(struct ledger_store *s, struct error *err)
{
    s->is_running = pthread_create(&s->thread, NULL, run, s) == 0;
    return s->is_running || error_set(err, ERROR_SYSTEM, "ledger: a thread cannot be started");
}

void ledger_store_wake(struct ledger_store *s)
{
    if (s == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&s->lock);
    s->is_due = true;
    (void)pthread_cond_signal(&s->work);
    (void)pthread_mutex_unlock(&s->lock);
}

bool ledger_store_is_healthy(const struct ledger_store *s)
{
    return s == NULL || atomic_load(&s->is_healthy);
}

/* --- opening -------------------------------------------------------------- */

/* A name that does not fit was not written by us. */
static bool copy_text(sqlite3_stmt *row, int column, char to[LEDGER_NAME_MAX + 1])
{
    const unsigned char *text = sqlite3_column_text(row, column);
    int len = sqlite3_column_bytes(row, column);

    if (text == NULL || len > LEDGER_NAME_MAX) {
        return false;
    }
    memcpy(to, text, (size_t)len + 1);
    return true;
}

static bool restore_row(struct ledger_store *s, sqlite3_stmt *row, struct error *err)
{
    struct agent_account a = {0};
    const char *counts = (const char *)sqlite3_column_text(row, 7);

    if (!copy_text(row, 0, a.tenant) || !copy_text(row, 1, a.agent)) {
        return error_set(err, ERROR_INVALID, "ledger: the store holds a name of another kind");
    }
    a.score = sqlite3_column_double(row, 2);
    a.standing = (unsigned)sqlite3_column_int64(row, 3);
    a.first_ns = sqlite3_column_int64(row, 4);
    a.last_ns = sqlite3_column_int64(row, 5);
    a.asked_ns = sqlite3_column_int64(row, 6);
    read_counts(counts == NULL ? "" : counts, &a);
    return ledger_restore(s->ledger, &a, err);
}

static bool restore(struct ledger_store *s, struct error *err)
{
    static const char all[] =
        "SELECT tenant, agent, score, standing, first_ns, last_ns, asked_ns, counts FROM accounts ORDER BY standing DESC";
    sqlite3_stmt *rows = database_prepare(&s->file, all, err);
    int step = SQLITE_ROW;

    bool is_good = rows != NULL;
    while (is_good && (step = sqlite3_step(rows)) == SQLITE_ROW) {
        is_good = restore_row(s, rows, err);
    }
    is_good = is_good && (step == SQLITE_DONE || database_fail(&s->file, err));
    (void)sqlite3_finalize(rows);
    return is_good;
}

/* Accounts get other places in the table than they had: the file is written anew, in one transaction. */
static bool rewrite(struct ledger_store *s, struct error *err)
{
    struct agent_account a;
    bool is_written = database_execute(&s->file, "BEGIN IMMEDIATE; DELETE FROM accounts", err);

    while (is_written && ledger_take_changed(s->ledger, LEDGER_STORE, &a)) {
        is_written = put_account(s, &a) || database_fail(&s->file, err);
    }
    return is_written && database_execute(&s->file, "COMMIT", err);
}

static bool open_all(struct ledger_store *s, const char *path, struct error *err)
{
    s->path = strdup(path);
    if (s->path == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "ledger: no memory");
    }
    bool is_open = database_open(&s->file, path, &form, err) && restore(s, err) && prepare(s, err) && rewrite(s, err);
    database_note(&s->file, path);
    return is_open;
}

struct ledger_store *ledger_store_open(const char *path, struct ledger *ledger, struct error *err)
{
    struct ledger_store *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "ledger: no memory");
        return NULL;
    }
    s->ledger = ledger;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)condition_init(&s->work);
    atomic_init(&s->is_healthy, true);
    if (!open_all(s, path, err)) {
        ledger_store_close(s);
        return NULL;
    }
    return s;
}

void ledger_store_close(struct ledger_store *s)
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
    finalize(s);
    database_close(&s->file);
    free(s->path);
    (void)pthread_cond_destroy(&s->work);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}
