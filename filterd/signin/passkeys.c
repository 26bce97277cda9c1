#include "signin/passkeys.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "database/database.h"

struct passkeys {
    pthread_mutex_t lock; /* guards file */
    struct database file;
};

static const struct database_form form = {
    .name = "passkeys",
    .settings = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL",
    .schema = "CREATE TABLE IF NOT EXISTS passkey(number INTEGER PRIMARY KEY AUTOINCREMENT, person TEXT NOT NULL COLLATE NOCASE,"
              " name TEXT NOT NULL, added_ms INTEGER NOT NULL, used_ms INTEGER NOT NULL, algorithm INTEGER NOT NULL,"
              " id BLOB NOT NULL UNIQUE, key BLOB NOT NULL, count INTEGER NOT NULL);"
              "CREATE INDEX IF NOT EXISTS passkey_person ON passkey(person, number)",
    .version = 1,
};

#define COLUMNS "SELECT number, person, name, added_ms, used_ms, algorithm, id, key, count FROM passkey "

/* --- rows ------------------------------------------------------------------- */

static bool take_text(sqlite3_stmt *s, int column, char *to, size_t max)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    size_t len = (size_t)sqlite3_column_bytes(s, column);

    if (text == NULL || len == 0 || len > max || memchr(text, '\0', len) != NULL) {
        return false;
    }
    memcpy(to, text, len + 1);
    return true;
}

static bool take_bytes(sqlite3_stmt *s, int column, uint8_t *to, size_t max, size_t *len)
{
    const void *bytes = sqlite3_column_blob(s, column);

    *len = (size_t)sqlite3_column_bytes(s, column);
    if (bytes == NULL || *len > max) {
        return false;
    }
    memcpy(to, bytes, *len);
    return true;
}

/* Verifies what it reads. */
static bool take_row(sqlite3_stmt *s, struct passkey_row *row, struct error *err)
{
    *row = (struct passkey_row){.number = sqlite3_column_int64(s, 0), .added_ms = sqlite3_column_int64(s, 3),
                                .used_ms = sqlite3_column_int64(s, 4)};
    sqlite3_int64 count = sqlite3_column_int64(s, 8);
    bool is_read = take_text(s, 1, row->person, PASSKEY_PERSON_MAX) && take_text(s, 2, row->name, PASSKEY_NAME_MAX) &&
                   take_bytes(s, 6, row->key.id, PASSKEY_ID_MAX, &row->key.id_len) &&
                   take_bytes(s, 7, row->key.key, PASSKEY_KEY_MAX, &row->key.key_len) && count >= 0 && count <= UINT32_MAX;

    row->key.algorithm = sqlite3_column_int(s, 5);
    row->key.count = (uint32_t)count;
    return (is_read && passkey_check(&row->key, err)) ||
           error_set(err, ERROR_INVALID, "passkeys: row %lld: a person, a name and a valid key expected", (long long)row->number);
}

/* --- statements -------------------------------------------------------------- */

/* A value that is bound to a parameter, in their order: a text, bytes, or a number. */
struct value {
    const char *text;
    struct span bytes;
    int64_t number;
};

static bool bind(sqlite3_stmt *s, int i, const struct value *v)
{
    if (v->text != NULL) {
        return sqlite3_bind_text(s, i, v->text, -1, SQLITE_STATIC) == SQLITE_OK;
    }
    if (v->bytes.ptr != NULL) {
        return sqlite3_bind_blob64(s, i, v->bytes.ptr, v->bytes.len, SQLITE_STATIC) == SQLITE_OK;
    }
    return sqlite3_bind_int64(s, i, v->number) == SQLITE_OK;
}

static sqlite3_stmt *prepare(struct passkeys *p, const char *sql, const struct value *values, int n, struct error *err)
{
    sqlite3_stmt *s = database_prepare(&p->file, sql, err);

    for (int i = 0; i < n && s != NULL; i++) {
        if (!bind(s, i + 1, &values[i])) {
            (void)database_fail(&p->file, err);
            (void)sqlite3_finalize(s);
            s = NULL;
        }
    }
    return s;
}

/* Executes a change; *changed is the number of rows. */
static bool change(struct passkeys *p, const char *sql, const struct value *values, int n, int *changed, struct error *err)
{
    sqlite3_stmt *s = prepare(p, sql, values, n, err);
    bool is_done = s != NULL && (sqlite3_step(s) == SQLITE_DONE || database_fail(&p->file, err));

    *changed = is_done ? sqlite3_changes(p->file.db) : 0;
    (void)sqlite3_finalize(s);
    return is_done;
}

/* The number in the first column of the first row. */
static bool count(struct passkeys *p, const char *sql, const struct value *values, int n, int64_t *out, struct error *err)
{
    sqlite3_stmt *s = prepare(p, sql, values, n, err);
    bool is_read = s != NULL && (sqlite3_step(s) == SQLITE_ROW || database_fail(&p->file, err));

    *out = is_read ? sqlite3_column_int64(s, 0) : 0;
    (void)sqlite3_finalize(s);
    return is_read;
}

static bool each(struct passkeys *p, const char *sql, const struct value *values, int n, passkey_row_fn *take, void *context,
                 struct error *err)
{
    sqlite3_stmt *s = prepare(p, sql, values, n, err);
    struct passkey_row row;
    int step = SQLITE_ROW;

    bool is_good = s != NULL;
    while (is_good && (step = sqlite3_step(s)) == SQLITE_ROW) {
        is_good = take_row(s, &row, err) && take(context, &row, err);
    }
    is_good = is_good && (step == SQLITE_DONE || database_fail(&p->file, err));
    (void)sqlite3_finalize(s);
    return is_good;
}

/* --- opening ------------------------------------------------------------------ */

static bool ignore_row(void *context, const struct passkey_row *row, struct error *err)
{
    (void)context;
    (void)row;
    (void)err;
    return true;
}

struct passkeys *passkeys_open(const char *path, struct error *err)
{
    struct passkeys *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "passkeys: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&p->lock, NULL);
    if (!database_open(&p->file, path, &form, err) || !each(p, COLUMNS, NULL, 0, ignore_row, NULL, err)) {
        passkeys_close(p);
        return NULL;
    }
    return p;
}

void passkeys_close(struct passkeys *p)
{
    if (p != NULL) {
        database_close(&p->file);
        (void)pthread_mutex_destroy(&p->lock);
        free(p);
    }
}

/* --- reading ------------------------------------------------------------------ */

bool passkeys_has(struct passkeys *p, const char *person)
{
    const struct value values[] = {{.text = person}};
    struct error ignored;
    int64_t n = 0;

    (void)pthread_mutex_lock(&p->lock);
    bool is_read = count(p, "SELECT count(*) FROM passkey WHERE person = ?", values, 1, &n, &ignored);
    (void)pthread_mutex_unlock(&p->lock);
    return !is_read || n > 0;
}

bool passkeys_has_number(struct passkeys *p, const char *person, int64_t number)
{
    const struct value values[] = {{.text = person}, {.number = number}};
    struct error ignored;
    int64_t n = 0;

    (void)pthread_mutex_lock(&p->lock);
    bool is_read = count(p, "SELECT count(*) FROM passkey WHERE person = ? AND number = ?", values, 2, &n, &ignored);
    (void)pthread_mutex_unlock(&p->lock);
    return is_read && n == 1;
}

bool passkeys_list(struct passkeys *p, const char *person, passkey_row_fn *take, void *context, struct error *err)
{
    const struct value values[] = {{.text = person}};

    (void)pthread_mutex_lock(&p->lock);
    bool is_read = person == NULL ? each(p, COLUMNS "ORDER BY person, number", NULL, 0, take, context, err)
                                  : each(p, COLUMNS "WHERE person = ? ORDER BY number", values, 1, take, context, err);
    (void)pthread_mutex_unlock(&p->lock);
    return is_read;
}

static bool copy_row(void *context, const struct passkey_row *row, struct error *err)
{
    (void)err;
    *(struct passkey_row *)context = *row;
    return true;
}

bool passkeys_find(struct passkeys *p, const char *person, struct span id, struct passkey_row *out, struct error *err)
{
    const struct value values[] = {{.text = person}, {.bytes = span_of(id.len == 0 ? "" : id.ptr, id.len)}};
    struct passkey_row row = {0};

    (void)pthread_mutex_lock(&p->lock);
    bool is_read = each(p, COLUMNS "WHERE person = ? AND id = ?", values, 2, copy_row, &row, err);
    (void)pthread_mutex_unlock(&p->lock);
    if (!is_read) {
        return false;
    }
    if (row.number == 0) {
        return error_set(err, ERROR_NOT_FOUND, "passkeys: a key of this person expected");
    }
    *out = row;
    return true;
}

/* --- changes ------------------------------------------------------------------ */

static bool add_locked(struct passkeys *p, const struct passkey_row *row, struct error *err)
{
    const struct value person[] = {{.text = row->person}};
    const struct value values[] = {{.text = row->person},
                                   {.text = row->name},
                                   {.number = row->added_ms},
                                   {.number = row->used_ms},
                                   {.number = row->key.algorithm},
                                   {.bytes = span_of((const char *)row->key.id, row->key.id_len)},
                                   {.bytes = span_of((const char *)row->key.key, row->key.key_len)},
                                   {.number = row->key.count}};
    int64_t of_one = 0, of_all = 0;
    int changed = 0;

    if (!count(p, "SELECT count(*) FROM passkey WHERE person = ?", person, 1, &of_one, err) ||
        !count(p, "SELECT count(*) FROM passkey", NULL, 0, &of_all, err)) {
        return false;
    }
    if (of_one >= PASSKEYS_OF_ONE || of_all >= PASSKEYS_MAX) {
        return error_set(err, ERROR_LIMIT, "passkeys: at most %d of a person and %d in all expected", PASSKEYS_OF_ONE, PASSKEYS_MAX);
    }
    bool is_done = change(p, "INSERT OR IGNORE INTO passkey(person, name, added_ms, used_ms, algorithm, id, key, count)"
                             " VALUES(?, ?, ?, ?, ?, ?, ?, ?)", values, COUNT(values), &changed, err);
    return is_done && (changed == 1 || error_set(err, ERROR_DENIED, "passkeys: a credential that is not registered expected"));
}

bool passkeys_add(struct passkeys *p, const struct passkey_row *row, struct error *err)
{
    if (row->person[0] == '\0' || row->name[0] == '\0' || !passkey_check(&row->key, err)) {
        return error_set(err, ERROR_INVALID, "passkeys: a person, a name and a valid key expected");
    }
    (void)pthread_mutex_lock(&p->lock);
    bool is_added = add_locked(p, row, err);
    (void)pthread_mutex_unlock(&p->lock);
    return is_added;
}

/* A counter that does not grow means that a copy of the key may exist; 0 means that the authenticator has none. One statement
 * compares and stores, so that of two assertions with one counter only the first is accepted. */
bool passkeys_use(struct passkeys *p, int64_t number, uint32_t now, int64_t now_ms, struct error *err)
{
    const struct value values[] = {{.number = now}, {.number = now_ms}, {.number = number}, {.number = now}, {.number = now}};
    int changed = 0;

    (void)pthread_mutex_lock(&p->lock);
    bool is_done = change(p, "UPDATE passkey SET count = ?, used_ms = ? WHERE number = ? AND (count < ? OR (count = 0 AND ? = 0))",
                          values, COUNT(values), &changed, err);
    (void)pthread_mutex_unlock(&p->lock);
    return is_done && (changed == 1 || error_set(err, ERROR_DENIED, "passkeys: a counter above the stored one expected"));
}

static bool remove_rows(struct passkeys *p, const char *sql, const struct value *values, int n, struct error *err)
{
    int changed = 0;

    (void)pthread_mutex_lock(&p->lock);
    bool is_done = change(p, sql, values, n, &changed, err);
    (void)pthread_mutex_unlock(&p->lock);
    return is_done && (changed > 0 || error_set(err, ERROR_NOT_FOUND, "passkeys: a key of this person expected"));
}

bool passkeys_remove(struct passkeys *p, const char *person, int64_t number, struct error *err)
{
    const struct value values[] = {{.text = person}, {.number = number}};

    return remove_rows(p, "DELETE FROM passkey WHERE person = ? AND number = ?", values, COUNT(values), err);
}

bool passkeys_reset(struct passkeys *p, const char *person, struct error *err)
{
    const struct value values[] = {{.text = person}};

    return remove_rows(p, "DELETE FROM passkey WHERE person = ?", values, COUNT(values), err);
}
