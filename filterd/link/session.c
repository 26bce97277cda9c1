#include "link/session.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

enum { FILE_MAX = 16 * 1024, PORT_POSTGRESQL = 5432 };

struct link_database {
    char conninfo[FILE_MAX + 1];
    PQconninfoOption *options;
    struct ship_header passfile;
};

static const char *option(const struct link_database *d, const char *name)
{
    for (const PQconninfoOption *o = d->options; o->keyword != NULL; o++) {
        if (strcmp(o->keyword, name) == 0) {
            return o->val != NULL && o->val[0] != '\0' ? o->val : NULL;
        }
    }
    return NULL;
}

/* libpq's own messages may quote the text, so they are not passed on. */
static bool parse(struct link_database *d, const char *file, struct error *err)
{
    char *message = NULL;

    d->options = PQconninfoParse(d->conninfo, &message);
    PQfreemem(message);
    if (d->options == NULL) {
        return error_set(err, ERROR_MALFORMED, "%s: a connection string of libpq expected", file);
    }
    if (option(d, "password") != NULL || option(d, "sslpassword") != NULL) {
        return error_set(err, ERROR_INVALID, "%s: no password expected: it belongs in a passfile", file);
    }
    return true;
}

struct link_database *link_database_new(const char *file, struct error *err)
{
    struct link_database *d = calloc(1, sizeof(*d));
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, FILE_MAX);
    if (d == NULL) {
        error_set(err, ERROR_NO_MEMORY, "store: no memory");
        return NULL;
    }
    bool is_read = file_read(file, &text, err);
    if (is_read) {
        memcpy(d->conninfo, text.data, text.len);
    }
    if (text.cap > 0) {
        explicit_bzero(text.data, text.cap);
    }
    if (!is_read || !parse(d, file, err)) {
        link_database_free(d);
        return NULL;
    }
    return d;
}

void link_database_free(struct link_database *d)
{
    if (d != NULL) {
        PQconninfoFree(d->options);
        explicit_bzero(d, sizeof(*d));
        free(d);
    }
}

/* `port` may be a list, one for each host. */
size_t link_database_reach(struct link_database *d, struct ship_sink sinks[SHIP_SINKS_MAX])
{
    const char *port = option(d, "port");
    const char *root = option(d, "sslrootcert");
    size_t n = 0;

    d->passfile.file = option(d, "passfile");
    do {
        char *end = NULL;
        unsigned long number = port == NULL ? 0 : strtoul(port, &end, 10);
        sinks[n++] = (struct ship_sink){
            .name = span_str("database"),
            .url = "postgresql",
            .port = number == 0 || number > UINT16_MAX ? PORT_POSTGRESQL : (unsigned)number,
            .ca = root != NULL && strcmp(root, "system") != 0 ? root : NULL,
            .certificate = option(d, "sslcert"),
            .key = option(d, "sslkey"),
            .headers = &d->passfile,
            .n_headers = d->passfile.file != NULL,
        };
        port = end != NULL && *end == ',' ? end + 1 : NULL;
    } while (port != NULL && n < SHIP_SINKS_MAX);
    return n;
}

/* --- failures -------------------------------------------------------------------------- */

void link_session_end(struct link_session *s)
{
    PQfinish(s->connection);
    s->connection = NULL;
}

bool link_session_fail(struct link_session *s, const PGresult *result, const char *what, struct error *err)
{
    const char *code = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_SQLSTATE);
    bool is_lost = code == NULL;

    error_set(err, ERROR_SYSTEM, "database: %s: %s%s", what, is_lost ? "the connection is lost" : "SQLSTATE ", is_lost ? "" : code);
    link_session_end(s);
    return false;
}

bool link_session_refuse(struct link_session *s, enum error_kind kind, const char *text, struct error *err)
{
    link_session_end(s);
    return error_set(err, kind, "database: %s", text);
}

static void drop_notice(void *context, const char *message)
{
    (void)context, (void)message;
}

/* --- statements ------------------------------------------------------------------------ */

const char *link_value(const PGresult *rows, int row, int column)
{
    return row < PQntuples(rows) && column < PQnfields(rows) ? PQgetvalue(rows, row, column) : "";
}

void link_result_clear(PGresult **result)
{
    PQclear(*result);
}

/* libpq's own waiting has no limit: a server that hangs would hold its caller. */
PGresult *link_session_result(struct link_session *s, bool *is_late)
{
    int64_t until_ms = clock_monotonic_ms() + s->reply_timeout_ms;

    *is_late = false;
    while (PQflush(s->connection) == 1 || PQisBusy(s->connection)) {
        struct pollfd one = {.fd = PQsocket(s->connection), .events = POLLIN};
        int64_t left_ms = until_ms - clock_monotonic_ms();
        one.events |= PQflush(s->connection) == 1 ? POLLOUT : 0;
        *is_late = left_ms <= 0;
        if (*is_late || poll(&one, 1, (int)left_ms) < 0 || PQconsumeInput(s->connection) == 0) {
            return NULL;
        }
    }
    return PQgetResult(s->connection);
}

PGresult *link_session_ask(struct link_session *s, const char *statement, int n, const char *const *values, const char *what,
                           struct error *err)
{
    bool is_late = false, is_more_late = false;

    if (PQsendQueryParams(s->connection, statement, n, NULL, values, NULL, NULL, 0) != 1) {
        (void)link_session_fail(s, NULL, what, err);
        return NULL;
    }
    PGresult *result = link_session_result(s, &is_late);
    PGresult *last CLEANUP(link_result_clear) = result == NULL ? NULL : link_session_result(s, &is_more_late);
    ExecStatusType status = PQresultStatus(result);
    if (is_late || is_more_late || last != NULL || (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)) {
        (void)link_session_fail(s, result, what, err);
        PQclear(result);
        return NULL;
    }
    return result;
}

bool link_session_run(struct link_session *s, const char *statement, int n, const char *const *values, const char *what,
                      struct error *err)
{
    PGresult *result CLEANUP(link_result_clear) = link_session_ask(s, statement, n, values, what, err);

    return result != NULL;
}

bool link_session_connect(struct link_session *s, const char *application, int64_t statement_ms, struct error *err)
{
    /* Later ones override earlier ones: the file those before it. */
    static const char *const keywords[] = {"connect_timeout", "target_session_attrs", "keepalives_idle", "tcp_user_timeout",
                                           "dbname", "application_name", "client_encoding", NULL};
    const char *const values[] = {"5", "read-write", "5", "5000", s->database->conninfo, application, "UTF8", NULL};
    char timeout[32];
    const char *const timeouts[] = {timeout};

    link_session_end(s);
    s->connection = PQconnectdbParams(keywords, values, 1);
    if (PQstatus(s->connection) != CONNECTION_OK) {
        const char *message = PQerrorMessage(s->connection);
        error_set(err, ERROR_SYSTEM, "database: %.*s", (int)strcspn(message, "\n"), message);
        link_session_end(s);
        return false;
    }
    (void)PQsetNoticeProcessor(s->connection, drop_notice, NULL);
    (void)snprintf(timeout, sizeof(timeout), "%" PRId64, statement_ms);
    return link_session_run(s, "SELECT set_config('statement_timeout', $1, false)", 1, timeouts, "settings", err);
}

int link_session_schema(struct link_session *s, struct error *err)
{
    PGresult *result CLEANUP(link_result_clear) =
        link_session_ask(s, "SELECT max(v) FROM filterd.schema_version", 0, NULL, "schema filterd", err);

    int version = result == NULL ? 0 : (int)strtol(link_value(result, 0, 0), NULL, 10);
    if (result != NULL && version <= 0) {
        (void)link_session_refuse(s, ERROR_INVALID, "a version of its schema expected", err);
    }
    return version > 0 ? version : 0;
}

bool link_session_lock(struct link_session *s, const char *node, const char *seed, struct error *err)
{
    const char *const values[] = {node, seed};
    PGresult *result CLEANUP(link_result_clear) = link_session_ask(
        s, "SELECT pg_try_advisory_lock(hashtextextended($1, $2::bigint))", 2, values, "lock", err);

    if (result == NULL) {
        return false;
    }
    if (link_value(result, 0, 0)[0] != 't') {
        link_session_end(s);
        return error_set(err, ERROR_DENIED, "database: another filterd-link has the node %s", node);
    }
    return true;
}
