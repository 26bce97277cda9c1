/* database.h - an SQLite file that keeps the state of one module and belongs to one process.
 *
 * The file is created with mode 0600, as are its journals, and is locked exclusively while it is open. Its version is checked
 * before anything in it is changed. Errors begin with the module's name and have SQLite's text, which names no value of a row.
 * One thread at a time. */
#ifndef FILTERD_DATABASE_DATABASE_H
#define FILTERD_DATABASE_DATABASE_H

#include <sqlite3.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"

/* What a module expects of its file; constant, and outlives the database. */
struct database_form {
    const char *name;     /* of the module, in errors */
    const char *settings; /* PRAGMA statements, executed at each opening, before the schema */
    const char *schema;   /* CREATE ... IF NOT EXISTS statements */
    int version;          /* above 0; user_version of the file, 0 in a new one */
    bool is_lenient;      /* accepts a file of any mode and owner, and a folder that is reached through a symbolic link */
};

/* A file as it was at some time. */
struct database_trace {
    dev_t device;
    ino_t inode; /* 0: there was none */
    off_t size;
    struct timespec changed;
};

struct database {
    const struct database_form *form;
    sqlite3 *db; /* NULL: closed */
    struct database_trace file, log;
};

/* Opens or creates the file; its folder exists. DENIED: another process has it, or it is not a regular file of this user alone
 * and the form is not lenient. INVALID: no database, a damaged one, or one of another version. SYSTEM. On failure it is closed. */
MUST_CHECK bool database_open(struct database *d, const char *path, const struct database_form *form, struct error *err);
/* After every statement was finalized. Accepts a closed or zeroed one. */
void database_close(struct database *d);

/* SQLite does not notice that another process removes, truncates or writes its files while it has them open: it continues, and
 * what it reports as written is not there at the next opening. database_note saves their state after each change, and
 * database_was_touched tells whether another process has changed them since. */
void database_note(struct database *d, const char *path);
bool database_was_touched(const struct database *d, const char *path);
/* Closes it and begins an empty file in place of what is there. After every statement was finalized. */
MUST_CHECK bool database_renew(struct database *d, const char *path, struct error *err);

/* Executes statements that return no rows. */
MUST_CHECK bool database_execute(struct database *d, const char *sql, struct error *err);
/* The caller finalizes it. NULL with err. */
sqlite3_stmt *database_prepare(struct database *d, const char *sql, struct error *err);
/* Sets err from the last call of SQLite that failed: DENIED for a locked file, INVALID for a damaged one, NO_MEMORY, SYSTEM.
 * Returns false. */
bool database_fail(const struct database *d, struct error *err);
/* For a thread that writes again and again: logs that this failed when it had worked before, and that it works again. */
void database_report(const struct database *d, const char *path, bool has_worked, bool works, const struct error *err);

#endif
