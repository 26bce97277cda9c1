#include "seal/shred.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sodium.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { BUSY_MS = 2000 };

struct shred_store {
    sqlite3 *db;
    pthread_mutex_t lock; /* of the statements */
    sqlite3_stmt *find_id, *find_month, *add;
    char journal[PATH_MAX];
};

static const char schema[] = "CREATE TABLE IF NOT EXISTS kek(id TEXT PRIMARY KEY, tenant BLOB NOT NULL, month TEXT NOT NULL,"
                             " key BLOB NOT NULL, UNIQUE(tenant, month)) WITHOUT ROWID;";

/* A journal that stays can be overwritten when a key is deleted; one that is unlinked leaves its blocks on the disk. */
static const char settings[] = "PRAGMA secure_delete=ON; PRAGMA journal_mode=PERSIST; PRAGMA synchronous=EXTRA;"
                               "PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0;";

static bool fail(const struct shred_store *s, struct error *err)
{
    int code = sqlite3_errcode(s->db) & 0xff;

    return error_set(err, code == SQLITE_BUSY || code == SQLITE_LOCKED ? ERROR_DENIED : ERROR_SYSTEM,
                     "keys of originals: %s", sqlite3_errmsg(s->db));
}

static bool execute(struct shred_store *s, const char *sql, struct error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(s, err);
}

static bool prepare(struct shred_store *s, const char *sql, sqlite3_stmt **out, struct error *err)
{
    return sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) == SQLITE_OK || fail(s, err);
}

static bool set_up(struct shred_store *s, const char *path, int flags, struct error *err)
{
    int len = snprintf(s->journal, sizeof(s->journal), "%s-journal", path);

    if (len < 0 || (size_t)len >= sizeof(s->journal)) {
        return error_set(err, ERROR_INVALID, "%s: path too long", path);
    }
    if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK) {
        return error_set(err, ERROR_SYSTEM, "%s: cannot be opened: %s", path, sqlite3_errmsg(s->db));
    }
    (void)sqlite3_busy_timeout(s->db, BUSY_MS);
    return execute(s, settings, err) && execute(s, schema, err) &&
           prepare(s, "SELECT id, key FROM kek WHERE id=?1", &s->find_id, err) &&
           prepare(s, "SELECT id, key FROM kek WHERE tenant=?1 AND month=?2", &s->find_month, err) &&
           prepare(s, "INSERT INTO kek(tenant, month, id, key) VALUES(?1, ?2, ?3, ?4)", &s->add, err);
}

static struct shred_store *open_store(const char *path, int flags, struct error *err)
{
    struct shred_store *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "keys of originals: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&s->lock, NULL);
    if (!set_up(s, path, flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, err)) {
        shred_close(s);
        return NULL;
    }
    return s;
}

static bool check_mode(const char *path, struct error *err)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    return (info.st_mode & (S_IRWXG | S_IRWXO)) == 0 || error_set(err, ERROR_DENIED, "%s: mode 0600 expected", path);
}

struct shred_store *shred_open(const char *folder, struct error *err)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/" SHRED_FILE, folder);

    if (len < 0 || (size_t)len >= sizeof(path)) {
        error_set(err, ERROR_INVALID, "%s: path too long", folder);
        return NULL;
    }
    if (!file_make_directory(folder, err)) {
        return NULL;
    }
    /* SQLite would make it readable for others; its journals get the mode of the file. */
    int fd CLEANUP(cleanup_fd) = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        error_errno(err, "%s", path);
        return NULL;
    }
    return check_mode(path, err) ? open_store(path, 0, err) : NULL;
}

struct shred_store *shred_open_file(const char *path, struct error *err)
{
    return check_mode(path, err) ? open_store(path, 0, err) : NULL;
}

void shred_close(struct shred_store *s)
{
    if (s == NULL) {
        return;
    }
    (void)sqlite3_finalize(s->find_id);
    (void)sqlite3_finalize(s->find_month);
    (void)sqlite3_finalize(s->add);
    (void)sqlite3_close(s->db);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

void shred_month(int64_t utc_ns, char month[SHRED_MONTH + 1])
{
    time_t seconds = (time_t)(utc_ns / 1000000000);
    struct tm date;

    (void)gmtime_r(&seconds, &date);
    (void)strftime(month, SHRED_MONTH + 1, "%Y-%m", &date);
}

/* --- one key ------------------------------------------------------------------ */

static bool take_row(struct shred_store *s, sqlite3_stmt *find, struct shred_key *out, bool *is_found, struct error *err)
{
    int code = sqlite3_step(find);
    bool is_row = code == SQLITE_ROW && sqlite3_column_bytes(find, 0) == SHRED_ID && sqlite3_column_bytes(find, 1) == SHRED_KEY;

    if (is_row) {
        memcpy(out->id, sqlite3_column_text(find, 0), SHRED_ID);
        out->id[SHRED_ID] = '\0';
        memcpy(out->key, sqlite3_column_blob(find, 1), SHRED_KEY);
    }
    *is_found = is_row;
    bool is_good = is_row || code == SQLITE_DONE || fail(s, err);
    (void)sqlite3_reset(find);
    return is_good;
}

static bool bind_owner(sqlite3_stmt *to, struct span tenant, const char *month)
{
    return sqlite3_bind_blob(to, 1, tenant.len > 0 ? tenant.ptr : "", (int)tenant.len, SQLITE_STATIC) == SQLITE_OK &&
           sqlite3_bind_text(to, 2, month, -1, SQLITE_STATIC) == SQLITE_OK;
}

static bool find_month(struct shred_store *s, struct span tenant, const char *month, struct shred_key *out, bool *is_found,
                       struct error *err)
{
    return (bind_owner(s->find_month, tenant, month) || fail(s, err)) && take_row(s, s->find_month, out, is_found, err);
}

static bool make_key(struct shred_store *s, struct span tenant, const char *month, struct shred_key *out, struct error *err)
{
    uint8_t id[SHRED_ID / 2];

    randombytes_buf(id, sizeof(id));
    (void)sodium_bin2hex(out->id, sizeof(out->id), id, sizeof(id));
    randombytes_buf(out->key, sizeof(out->key));
    bool is_bound = bind_owner(s->add, tenant, month) &&
                    sqlite3_bind_text(s->add, 3, out->id, SHRED_ID, SQLITE_STATIC) == SQLITE_OK &&
                    sqlite3_bind_blob(s->add, 4, out->key, SHRED_KEY, SQLITE_STATIC) == SQLITE_OK;
    bool is_made = is_bound && sqlite3_step(s->add) == SQLITE_DONE;
    bool is_good = is_made || fail(s, err);
    (void)sqlite3_reset(s->add);
    (void)sqlite3_clear_bindings(s->add);
    return is_good;
}

/* Another process may make the key between the two: then the insertion fails, and the other's is there. */
bool shred_key_for(struct shred_store *s, struct span tenant, const char *month, struct shred_key *out, struct error *err)
{
    bool is_found = false;

    (void)pthread_mutex_lock(&s->lock);
    bool is_good = find_month(s, tenant, month, out, &is_found, err);
    if (is_good && !is_found && !make_key(s, tenant, month, out, err)) {
        is_good = find_month(s, tenant, month, out, &is_found, err) && is_found;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return is_good;
}

bool shred_find(struct shred_store *s, const char *id, struct shred_key *out, struct error *err)
{
    bool is_found = false;

    (void)pthread_mutex_lock(&s->lock);
    bool is_good = (sqlite3_bind_text(s->find_id, 1, id, -1, SQLITE_STATIC) == SQLITE_OK || fail(s, err)) &&
                   take_row(s, s->find_id, out, &is_found, err);
    (void)pthread_mutex_unlock(&s->lock);
    return is_good && (is_found || error_set(err, ERROR_NOT_FOUND, "keys of originals: there is no key of that id: it was"
                                             " erased, or is another service's"));
}

/* --- deleting ----------------------------------------------------------------- */

/* While the database is locked exclusively, so that no process is in the middle of a transaction of its own. A header of
 * zeros says that the journal is of no use. */
static bool wipe_journal(const struct shred_store *s, struct error *err)
{
    static const char zeros[64 * 1024];
    int fd CLEANUP(cleanup_fd) = open(s->journal, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0) {
        return error_errno(err, "%s", s->journal);
    }
    for (off_t at = 0; at < info.st_size;) {
        off_t rest = info.st_size - at;
        ssize_t n = pwrite(fd, zeros, rest < (off_t)sizeof(zeros) ? (size_t)rest : sizeof(zeros), at);
        if (n <= 0) {
            return error_errno(err, "%s", s->journal);
        }
        at += n;
    }
    return fdatasync(fd) == 0 || error_errno(err, "%s", s->journal);
}

static bool delete_row(struct shred_store *s, const char *id, struct error *err)
{
    sqlite3_stmt *drop = NULL;

    if (!prepare(s, "DELETE FROM kek WHERE id=?1", &drop, err)) {
        return false;
    }
    bool is_done = sqlite3_bind_text(drop, 1, id, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(drop) == SQLITE_DONE;
    bool is_good = is_done || fail(s, err);
    (void)sqlite3_finalize(drop);
    return is_good && (sqlite3_changes(s->db) == 1 ||
                       error_set(err, ERROR_NOT_FOUND, "keys of originals: there is no key of that id"));
}

/* The lock is given up by the next reading in normal mode. */
static bool unlock(struct shred_store *s, struct error *err)
{
    return execute(s, "PRAGMA locking_mode=NORMAL; SELECT count(*) FROM kek;", err);
}

bool shred_delete(struct shred_store *s, const char *id, struct error *err)
{
    struct error ignored;

    (void)pthread_mutex_lock(&s->lock);
    bool is_good = execute(s, "PRAGMA locking_mode=EXCLUSIVE;", err) && delete_row(s, id, err) && wipe_journal(s, err);
    is_good = unlock(s, is_good ? err : &ignored) && is_good;
    (void)pthread_mutex_unlock(&s->lock);
    return is_good;
}

bool shred_each(struct shred_store *s, shred_found_fn *found, void *context, struct error *err)
{
    sqlite3_stmt *all = NULL;
    int code;

    (void)pthread_mutex_lock(&s->lock);
    bool is_good = prepare(s, "SELECT id, tenant, month FROM kek ORDER BY month, tenant", &all, err);
    while (is_good && (code = sqlite3_step(all)) != SQLITE_DONE) {
        if (code != SQLITE_ROW) {
            is_good = fail(s, err);
        } else {
            const char *id = (const char *)sqlite3_column_text(all, 0), *month = (const char *)sqlite3_column_text(all, 2);
            const char *tenant = sqlite3_column_blob(all, 1);
            found(context, id, span_of(tenant, (size_t)sqlite3_column_bytes(all, 1)), month);
        }
    }
    (void)sqlite3_finalize(all);
    (void)pthread_mutex_unlock(&s->lock);
    return is_good;
}
