/* session.h - one connection to PostgreSQL: made, asked, ended at the first failure.
 *
 * Messages hold SQLSTATE alone, because texts of the server may quote a row, and no password. A session belongs to one thread;
 * several may share a database. */
#ifndef FILTERD_LINK_SESSION_H
#define FILTERD_LINK_SESSION_H

#include <libpq-fe.h>

#include "ship/config.h"

/* The file of libpq's keywords. */
struct link_database;

/* The file may not hold a password. Connects nothing yet. NULL on failure. */
struct link_database *link_database_new(const char *file, struct error *err);
void link_database_free(struct link_database *d); /* accepts NULL */
/* Its files and ports, as a sink of filterd-ship has them; valid as long as the database. */
size_t link_database_reach(struct link_database *d, struct ship_sink sinks[SHIP_SINKS_MAX]);

struct link_session {
    const struct link_database *database;
    int64_t reply_timeout_ms; /* of a statement; longer than the statement_timeout that the server has */
    PGconn *connection;       /* NULL: none */
};

/* Connected, with that limit for statements. */
MUST_CHECK bool link_session_connect(struct link_session *s, const char *application, int64_t statement_ms, struct error *err);
void link_session_end(struct link_session *s);
/* Sets err and ends the connection. False. */
bool link_session_fail(struct link_session *s, const PGresult *result, const char *what, struct error *err);
bool link_session_refuse(struct link_session *s, enum error_kind kind, const char *text, struct error *err);

/* The next result of what was sent; NULL where libpq has none. *is_late: nothing came in time. */
PGresult *link_session_result(struct link_session *s, bool *is_late);
/* Rows of one statement with text parameters; NULL with err, and the connection is gone. */
PGresult *link_session_ask(struct link_session *s, const char *statement, int n, const char *const *values, const char *what,
                           struct error *err);
MUST_CHECK bool link_session_run(struct link_session *s, const char *statement, int n, const char *const *values, const char *what,
                                 struct error *err);
/* The newest version of the schema; 0 with err. */
int link_session_schema(struct link_session *s, struct error *err);
/* Alone with a node's name, as long as the session; `seed` tells kinds of sessions apart. DENIED: another has it. */
MUST_CHECK bool link_session_lock(struct link_session *s, const char *node, const char *seed, struct error *err);

/* Never NULL: empty for NULL, and where the database, which owns the functions that are asked, gave fewer rows or columns than expected. */
const char *link_value(const PGresult *rows, int row, int column);
/* For CLEANUP. */
void link_result_clear(PGresult **result);

#endif
