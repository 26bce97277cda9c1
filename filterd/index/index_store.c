#include "index/index_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>

#include "base/cleanup.h"

enum { BUSY_MS = 2000 };

static const char tables[] =
    "CREATE TABLE word(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE(kind, text));"
    "CREATE TABLE chunk(id INTEGER PRIMARY KEY, rows BLOB NOT NULL);" /* index_row.h; id is seq / 64 */
    "CREATE TABLE held(action INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(action, seq)) WITHOUT ROWID;"
    "CREATE TABLE agent_held(agent INTEGER NOT NULL, action INTEGER NOT NULL, seq INTEGER NOT NULL,"
    " PRIMARY KEY(agent, action, seq)) WITHOUT ROWID;"
    "CREATE TABLE agent_region(agent INTEGER NOT NULL, region INTEGER NOT NULL, parts INTEGER NOT NULL,"
    " PRIMARY KEY(agent, region)) WITHOUT ROWID;"
    "CREATE TABLE finding(rule INTEGER NOT NULL, seq INTEGER NOT NULL, n INTEGER NOT NULL, action INTEGER NOT NULL,"
    " score INTEGER NOT NULL, value_tok BLOB, ts INTEGER NOT NULL, tenant INTEGER, app INTEGER,"
    " PRIMARY KEY(rule, seq, n)) WITHOUT ROWID;"
    "CREATE TABLE tally(hour INTEGER NOT NULL, tenant INTEGER NOT NULL, rule INTEGER NOT NULL, action INTEGER NOT NULL,"
    " n INTEGER NOT NULL, PRIMARY KEY(hour, tenant, rule, action)) WITHOUT ROWID;"
    "CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT NOT NULL, first_seq INTEGER NOT NULL UNIQUE,"
    " last_seq INTEGER NOT NULL, offset INTEGER NOT NULL, sha256 BLOB NOT NULL);"
    "CREATE TABLE block(id INTEGER PRIMARY KEY, ts_min INTEGER NOT NULL, ts_max INTEGER NOT NULL,"
    " req_min INTEGER NOT NULL, req_max INTEGER NOT NULL);"
    "CREATE TABLE filter(id INTEGER PRIMARY KEY, bits BLOB NOT NULL);";

static const char indexes[] = "CREATE INDEX finding_token ON finding(value_tok, seq) WHERE value_tok IS NOT NULL;";

static const char *const all_tables[] = {tables, NULL};
const struct index_schema index_schema = {INDEX_VERSION, all_tables, indexes};

static const char position[] = "CREATE TABLE position(id INTEGER PRIMARY KEY CHECK(id = 1), origin TEXT NOT NULL,"
                               " file INTEGER NOT NULL, offset INTEGER NOT NULL, seq INTEGER NOT NULL, leaf BLOB NOT NULL);";

bool index_fail(sqlite3 *db, struct error *err)
{
    int code = db == NULL ? SQLITE_NOMEM : sqlite3_errcode(db) & 0xff;
    enum error_kind kind = code == SQLITE_BUSY || code == SQLITE_LOCKED      ? ERROR_DENIED
                           : code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? ERROR_INVALID
                           : code == SQLITE_NOMEM                            ? ERROR_NO_MEMORY
                           : code == SQLITE_INTERRUPT                        ? ERROR_LIMIT
                           : code == SQLITE_CANTOPEN                         ? ERROR_NOT_FOUND
                                                                             : ERROR_SYSTEM;

    return error_set(err, kind, "index: %s", db == NULL ? "no memory" : sqlite3_errmsg(db));
}

bool index_execute(sqlite3 *db, const char *sql, struct error *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK || index_fail(db, err);
}

bool index_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct error *err)
{
    return sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) == SQLITE_OK || index_fail(db, err);
}

bool index_run(sqlite3 *db, sqlite3_stmt *statement, struct error *err)
{
    bool is_done = sqlite3_step(statement) == SQLITE_DONE || index_fail(db, err);

    (void)sqlite3_reset(statement);
    return is_done;
}

/* --- opening ------------------------------------------------------------------ */

/* 0 when it cannot be read. */
static int version_of(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    int version = 0;

    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        version = sqlite3_column_int(statement, 0);
    }
    (void)sqlite3_finalize(statement);
    return version;
}

static bool open_db(sqlite3 **db, const char *path, int flags, struct error *err)
{
    int code = sqlite3_open_v2(path, db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);

    if (code != SQLITE_OK) {
        (void)index_fail(*db, err);
        (void)sqlite3_close(*db);
        *db = NULL;
        return false;
    }
    (void)sqlite3_busy_timeout(*db, BUSY_MS);
    (void)sqlite3_db_config(*db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0); /* 120 KB for statements that are made once */
    return true;
}

static bool remove_file(const char *path, const char *ending, struct error *err)
{
    char name[PATH_MAX];

    (void)snprintf(name, sizeof(name), "%s%s", path, ending);
    return unlink(name) == 0 || errno == ENOENT || error_errno(err, "%s", name);
}

/* In normal use a commit is in the file's journal; nothing waits for the disk, as a crash costs no more than rows that are made
 * again. */
static const char normal[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=2000;"
                             "PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-16384;";
static const char bulk[] = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536;";

static bool set_version(const struct index_store *s, struct error *err)
{
    char sql[64];

    (void)snprintf(sql, sizeof(sql), "PRAGMA user_version=%d;", s->schema->version);
    return index_execute(s->db, sql, err);
}

static bool add_tables(const struct index_store *s, struct error *err)
{
    bool is_added = index_execute(s->db, position, err);

    for (const char *const *sql = s->schema->tables; is_added && *sql != NULL; sql++) {
        is_added = index_execute(s->db, *sql, err);
    }
    return is_added;
}

/* The version comes last: a file that is not whole is made again. */
static bool make_tables(struct index_store *s, bool is_bulk, struct error *err)
{
    return index_execute(s->db, "PRAGMA page_size=8192;", err) && index_execute(s->db, is_bulk ? bulk : normal, err) &&
           index_execute(s->db, "BEGIN", err) && add_tables(s, err) &&
           (is_bulk || (index_execute(s->db, s->schema->indexes, err) && set_version(s, err))) &&
           index_execute(s->db, "COMMIT", err);
}

/* SQLite would let others read it. */
static bool make_private(const char *path, struct error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0) {
        return error_errno(err, "%s", path);
    }
    close(fd);
    return true;
}

/* A reader of the old file has it until it closes it. */
bool index_store_renew(struct index_store *s, const char *path, bool is_bulk, struct error *err)
{
    (void)sqlite3_close(s->db);
    s->db = NULL;
    return remove_file(path, "", err) && remove_file(path, "-wal", err) && remove_file(path, "-shm", err) &&
           make_private(path, err) && open_db(&s->db, path, SQLITE_OPEN_READWRITE, err) && make_tables(s, is_bulk, err);
}

bool index_store_finish_bulk(struct index_store *s, struct error *err)
{
    return index_execute(s->db, s->schema->indexes, err) && set_version(s, err);
}

static bool lock(struct index_store *s, const char *path, struct error *err)
{
    char name[PATH_MAX];

    (void)snprintf(name, sizeof(name), "%s.lock", path);
    s->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (s->lock < 0) {
        return error_errno(err, "%s", name);
    }
    if (flock(s->lock, LOCK_EX | LOCK_NB) == 0) {
        return true;
    }
    return errno == EWOULDBLOCK ? error_set(err, ERROR_DENIED, "%s: another process writes it", path) : error_errno(err, "%s", name);
}

/* An existing file of this version. */
static bool open_existing(struct index_store *s, const char *path)
{
    struct error ignored;

    return open_db(&s->db, path, SQLITE_OPEN_READWRITE, &ignored) && version_of(s->db) == s->schema->version &&
           index_execute(s->db, normal, &ignored);
}

bool index_store_open(struct index_store *s, const struct index_schema *schema, const char *path, struct error *err)
{
    *s = (struct index_store){.lock = -1, .schema = schema};
    if (strlen(path) + sizeof(".lock") > PATH_MAX) {
        return error_set(err, ERROR_INVALID, "index: a shorter path expected");
    }
    if (lock(s, path, err) && (open_existing(s, path) || index_store_renew(s, path, false, err))) {
        return true;
    }
    index_store_close(s);
    return false;
}

void index_store_close(struct index_store *s)
{
    (void)sqlite3_close(s->db);
    s->db = NULL;
    if (s->lock > 0) {
        close(s->lock);
    }
    s->lock = -1;
}

bool index_store_open_read(sqlite3 **db, const struct index_schema *schema, const char *path, struct error *err)
{
    *db = NULL;
    if (!open_db(db, path, SQLITE_OPEN_READONLY, err)) {
        return false;
    }
    if (version_of(*db) == schema->version) {
        return true;
    }
    (void)sqlite3_close(*db);
    *db = NULL;
    return error_set(err, ERROR_NOT_FOUND, "%s: a file of this version expected", path);
}

/* --- position ------------------------------------------------------------------- */

bool index_position_read(sqlite3 *db, struct index_position *out, struct error *err)
{
    sqlite3_stmt *s = NULL;

    *out = (struct index_position){.seq = 0};
    if (!index_prepare(db, "SELECT origin, file, offset, seq, leaf FROM position", &s, err)) {
        return false;
    }
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW && sqlite3_column_bytes(s, 4) == TREE_HASH) {
        (void)snprintf(out->origin, sizeof(out->origin), "%s", (const char *)sqlite3_column_text(s, 0));
        out->file = sqlite3_column_int64(s, 1);
        out->offset = (uint64_t)sqlite3_column_int64(s, 2);
        out->seq = (uint64_t)sqlite3_column_int64(s, 3);
        memcpy(out->leaf.bytes, sqlite3_column_blob(s, 4), TREE_HASH);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(db, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

bool index_position_write(sqlite3 *db, const struct index_position *p, struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(db, "INSERT OR REPLACE INTO position VALUES(1, ?1, ?2, ?3, ?4, ?5)", &s, err)) {
        return false;
    }
    (void)sqlite3_bind_text(s, 1, p->origin, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(s, 2, p->file);
    (void)sqlite3_bind_int64(s, 3, (sqlite3_int64)p->offset);
    (void)sqlite3_bind_int64(s, 4, (sqlite3_int64)p->seq);
    (void)sqlite3_bind_blob(s, 5, p->leaf.bytes, TREE_HASH, SQLITE_STATIC);
    bool is_written = index_run(db, s, err);
    (void)sqlite3_finalize(s);
    return is_written;
}
