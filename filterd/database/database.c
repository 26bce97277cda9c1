#include "database/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/span.h"

/* Codes that are not here are errors of the system. */
static const struct {
    int code;
    enum error_kind kind;
} kinds[] = {
    {SQLITE_BUSY, ERROR_DENIED},    {SQLITE_LOCKED, ERROR_DENIED},   {SQLITE_NOTADB, ERROR_INVALID},
    {SQLITE_CORRUPT, ERROR_INVALID}, {SQLITE_NOMEM, ERROR_NO_MEMORY},
};

static bool fail(const struct database *d, const char *what, struct error *err)
{
    int code = sqlite3_errcode(d->db) & 0xff;
    enum error_kind kind = ERROR_SYSTEM;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        kind = kinds[i].code == code ? kinds[i].kind : kind;
    }
    return error_set(err, kind, "%s: %s: %s", d->form->name, what, sqlite3_errmsg(d->db));
}

bool database_fail(const struct database *d, struct error *err)
{
    return fail(d, "the store", err);
}

bool database_execute(struct database *d, const char *sql, struct error *err)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK || database_fail(d, err);
}

void database_report(const struct database *d, const char *path, bool has_worked, bool works, const struct error *err)
{
    if (has_worked && !works) {
        log_error("%s: %s cannot be written, tried again every second: %s", d->form->name, path, err->text);
    } else if (works && !has_worked) {
        log_info("%s: %s is written again", d->form->name, path);
    }
}

sqlite3_stmt *database_prepare(struct database *d, const char *sql, struct error *err)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(d->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        (void)database_fail(d, err);
        return NULL;
    }
    return statement;
}

/* --- opening -------------------------------------------------------------- */

static bool is_private(int fd)
{
    struct stat s;

    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() && (s.st_mode & 077) == 0;
}

/* SQLite creates files with the mode that the umask leaves, and its journals with that of the file. */
static bool make_file(const char *path, const struct database_form *form, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0) {
        return error_errno(err, "%s", path);
    }
    return form->is_lenient || is_private(fd) ||
           error_set(err, ERROR_DENIED, "%s: a file of this user with mode 0600 expected", path);
}

static bool open_file(struct database *d, const char *path, struct error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (d->form->is_lenient ? 0 : SQLITE_OPEN_NOFOLLOW);

    return make_file(path, d->form, err) && (sqlite3_open_v2(path, &d->db, flags, NULL) == SQLITE_OK || fail(d, path, err));
}

static bool read_version(struct database *d, int *version, struct error *err)
{
    sqlite3_stmt *row = database_prepare(d, "PRAGMA user_version", err);
    bool is_read = row != NULL && (sqlite3_step(row) == SQLITE_ROW || database_fail(d, err));

    *version = is_read ? sqlite3_column_int(row, 0) : 0;
    (void)sqlite3_finalize(row);
    return is_read;
}

/* The version comes last: a file that is not complete is new. */
static bool make_schema(struct database *d, bool is_new, struct error *err)
{
    char version[64];

    (void)snprintf(version, sizeof(version), "PRAGMA user_version=%d", d->form->version);
    return database_execute(d, d->form->settings, err) && database_execute(d, d->form->schema, err) &&
           (!is_new || database_execute(d, version, err));
}

static bool check_and_make(struct database *d, struct error *err)
{
    int version = 0;

    if (!database_execute(d, "PRAGMA locking_mode=EXCLUSIVE", err) || !read_version(d, &version, err)) {
        return false;
    }
    if (version != 0 && version != d->form->version) {
        return error_set(err, ERROR_INVALID, "%s: a store of version %d expected, not %d", d->form->name, d->form->version, version);
    }
    return make_schema(d, version == 0, err);
}

bool database_open(struct database *d, const char *path, const struct database_form *form, struct error *err)
{
    *d = (struct database){.form = form};
    if (open_file(d, path, err) && check_and_make(d, err)) {
        return true;
    }
    database_close(d);
    return false;
}

void database_close(struct database *d)
{
    (void)sqlite3_close(d->db);
    d->db = NULL;
}

/* --- changes by other processes ---------------------------------------------------------------- */

static struct database_trace trace_of(const char *path, const char *ending)
{
    char file[PATH_MAX];
    struct stat s;

    if (snprintf(file, sizeof(file), "%s%s", path, ending) >= (int)sizeof(file) || stat(file, &s) != 0) {
        return (struct database_trace){0};
    }
    return (struct database_trace){.device = s.st_dev, .inode = s.st_ino, .size = s.st_size, .changed = s.st_mtim};
}

static bool is_same(struct database_trace a, struct database_trace b)
{
    return a.device == b.device && a.inode == b.inode && a.size == b.size && a.changed.tv_sec == b.changed.tv_sec &&
           a.changed.tv_nsec == b.changed.tv_nsec;
}

void database_note(struct database *d, const char *path)
{
    d->file = trace_of(path, "");
    d->log = trace_of(path, "-wal");
}

bool database_was_touched(const struct database *d, const char *path)
{
    return !is_same(d->file, trace_of(path, "")) || !is_same(d->log, trace_of(path, "-wal"));
}

bool database_renew(struct database *d, const char *path, struct error *err)
{
    static const char *const endings[] = {"", "-wal", "-journal"};
    char file[PATH_MAX];

    database_close(d);
    for (size_t i = 0; i < COUNT(endings); i++) {
        if (snprintf(file, sizeof(file), "%s%s", path, endings[i]) >= (int)sizeof(file) || (unlink(file) != 0 && errno != ENOENT)) {
            return error_errno(err, "%s", path);
        }
    }
    return database_open(d, path, d->form, err);
}
