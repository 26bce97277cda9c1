#include "link/store.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { FILE_MAX = 16 * 1024, NUMBER_MAX = 24, PORT_POSTGRESQL = 5432, SCHEMA = 1 };

struct link_store {
    char node[SHIP_NAME_MAX + 1], id[NUMBER_MAX];
    char conninfo[FILE_MAX + 1];
    PQconninfoOption *options;
    struct ship_header passfile;
    PGconn *connection; /* NULL: none */
};

static const char *option(const struct link_store *s, const char *name)
{
    for (const PQconninfoOption *o = s->options; o->keyword != NULL; o++) {
        if (strcmp(o->keyword, name) == 0) {
            return o->val != NULL && o->val[0] != '\0' ? o->val : NULL;
        }
    }
    return NULL;
}

/* libpq's own messages may quote the text, so they are not passed on. */
static bool parse(struct link_store *s, const char *file, struct error *err)
{
    char *message = NULL;

    s->options = PQconninfoParse(s->conninfo, &message);
    PQfreemem(message);
    if (s->options == NULL) {
        return error_set(err, ERROR_MALFORMED, "%s: a connection string of libpq expected", file);
    }
    if (option(s, "password") != NULL || option(s, "sslpassword") != NULL) {
        return error_set(err, ERROR_INVALID, "%s: no password expected: it belongs in a passfile", file);
    }
    return true;
}

struct link_store *link_store_new(const char *file, struct span node, struct error *err)
{
    struct link_store *s = calloc(1, sizeof(*s));
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, FILE_MAX);
    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "store: no memory");
        return NULL;
    }
    (void)snprintf(s->node, sizeof(s->node), SPAN_FMT, SPAN_ARG(node));
    bool is_read = file_read(file, &text, err);
    if (is_read) {
        memcpy(s->conninfo, text.data, text.len);
    }
    if (text.cap > 0) {
        explicit_bzero(text.data, text.cap);
    }
    if (!is_read || !parse(s, file, err)) {
        link_store_free(s);
        return NULL;
    }
    return s;
}

static void disconnect(struct link_store *s)
{
    PQfinish(s->connection);
    s->connection = NULL;
}

void link_store_free(struct link_store *s)
{
    if (s != NULL) {
        disconnect(s);
        PQconninfoFree(s->options);
        explicit_bzero(s, sizeof(*s));
        free(s);
    }
}

bool link_store_is_connected(const struct link_store *s)
{
    return s->connection != NULL;
}

const char *link_store_id(const struct link_store *s)
{
    return s->id;
}

/* `port` may be a list, one for each host. */
size_t link_store_reach(struct link_store *s, struct ship_sink sinks[SHIP_SINKS_MAX])
{
    const char *port = option(s, "port");
    const char *root = option(s, "sslrootcert");
    size_t n = 0;

    s->passfile.file = option(s, "passfile");
    do {
        char *end = NULL;
        unsigned long number = port == NULL ? 0 : strtoul(port, &end, 10);
        sinks[n++] = (struct ship_sink){
            .name = span_str("database"),
            .url = "postgresql",
            .port = number == 0 || number > UINT16_MAX ? PORT_POSTGRESQL : (unsigned)number,
            .ca = root != NULL && strcmp(root, "system") != 0 ? root : NULL,
            .certificate = option(s, "sslcert"),
            .key = option(s, "sslkey"),
            .headers = &s->passfile,
            .n_headers = s->passfile.file != NULL,
        };
        port = end != NULL && *end == ',' ? end + 1 : NULL;
    } while (port != NULL && n < SHIP_SINKS_MAX);
    return n;
}

/* --- statements ------------------------------------------------------------------------ */

static void drop_notice(void *context, const char *message)
{
    (void)context, (void)message;
}

/* The code alone: texts of the server may quote a row. Ends the connection. */
static bool fail(struct link_store *s, const PGresult *result, const char *what, struct error *err)
{
    const char *code = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_SQLSTATE);
    bool is_lost = code == NULL;

    error_set(err, ERROR_SYSTEM, "database: %s: %s%s", what, is_lost ? "the connection is lost" : "SQLSTATE ", is_lost ? "" : code);
    disconnect(s);
    return false;
}

static void clear_result(PGresult **result)
{
    PQclear(*result);
}

static bool run(struct link_store *s, const char *statement, int n, const char *const *values, const char *what, struct error *err)
{
    PGresult *result CLEANUP(clear_result) = PQexecParams(s->connection, statement, n, NULL, values, NULL, NULL, 0);
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || fail(s, result, what, err);
}

static bool check_schema(struct link_store *s, struct error *err)
{
    PGresult *result CLEANUP(clear_result) = PQexec(s->connection, "SELECT max(v) FROM filterd.schema_version");

    if (PQresultStatus(result) != PGRES_TUPLES_OK) {
        return fail(s, result, "schema filterd", err);
    }
    if (strtol(PQgetvalue(result, 0, 0), NULL, 10) != SCHEMA) {
        disconnect(s);
        return error_set(err, ERROR_INVALID, "database: schema version %d expected", SCHEMA);
    }
    return true;
}

/* Two that have one name would take turns. */
static bool lock_node(struct link_store *s, struct error *err)
{
    const char *const values[] = {s->node};
    PGresult *result CLEANUP(clear_result) = PQexecParams(
        s->connection, "SELECT pg_try_advisory_lock(hashtextextended($1, 0))", 1, NULL, values, NULL, NULL, 0);

    if (PQresultStatus(result) != PGRES_TUPLES_OK) {
        return fail(s, result, "lock", err);
    }
    if (PQgetvalue(result, 0, 0)[0] != 't') {
        disconnect(s);
        return error_set(err, ERROR_DENIED, "database: another filterd-link has the node %s", s->node);
    }
    return true;
}

static bool read_position(struct link_store *s, struct ship_position *p, struct error *err)
{
    const char *const values[] = {s->node};
    PGresult *result CLEANUP(clear_result) = PQexecParams(
        s->connection, "SELECT id, file, file_ns, file_offset, forwarded FROM filterd.node WHERE node = $1", 1, NULL, values, NULL,
        NULL, 0);

    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) {
        return fail(s, result, "position", err);
    }
    (void)snprintf(s->id, sizeof(s->id), "%s", PQgetvalue(result, 0, 0));
    (void)snprintf(p->file, sizeof(p->file), "%s", PQgetvalue(result, 0, 1));
    p->file_ns = strtoll(PQgetvalue(result, 0, 2), NULL, 10);
    p->offset = strtoull(PQgetvalue(result, 0, 3), NULL, 10);
    p->seq = strtoull(PQgetvalue(result, 0, 4), NULL, 10);
    return true;
}

bool link_store_connect(struct link_store *s, struct ship_position *position, struct error *err)
{
    /* Later ones override earlier ones: the file those before it. */
    static const char *const keywords[] = {"connect_timeout", "target_session_attrs", "keepalives_idle", "tcp_user_timeout",
                                           "dbname", "application_name", "client_encoding", NULL};
    const char *const values[] = {"5", "read-write", "5", "5000", s->conninfo, "filterd-link", "UTF8", NULL};
    const char *const names[] = {s->node};

    disconnect(s);
    s->connection = PQconnectdbParams(keywords, values, 1);
    if (PQstatus(s->connection) != CONNECTION_OK) {
        const char *message = PQerrorMessage(s->connection);
        error_set(err, ERROR_SYSTEM, "database: %.*s", (int)strcspn(message, "\n"), message);
        disconnect(s);
        return false;
    }
    (void)PQsetNoticeProcessor(s->connection, drop_notice, NULL);
    return run(s, "SET statement_timeout = '30s'", 0, NULL, "settings", err) && check_schema(s, err) && lock_node(s, err) &&
           run(s, "INSERT INTO filterd.node (node) VALUES ($1) ON CONFLICT DO NOTHING", 1, names, "node", err) &&
           read_position(s, position, err);
}

static bool copy_rows(struct link_store *s, struct span rows, struct error *err)
{
    PGresult *begun CLEANUP(clear_result) =
        PQexec(s->connection, "COPY filterd.record (node, seq, ts, type, action, rule, req_id, line) FROM STDIN");

    if (PQresultStatus(begun) != PGRES_COPY_IN) {
        return fail(s, begun, "COPY", err);
    }
    if (PQputCopyData(s->connection, rows.ptr, (int)rows.len) != 1 || PQputCopyEnd(s->connection, NULL) != 1) {
        return fail(s, NULL, "COPY", err);
    }
    PGresult *ended CLEANUP(clear_result) = PQgetResult(s->connection);
    PGresult *last CLEANUP(clear_result) = PQgetResult(s->connection);
    return (PQresultStatus(ended) == PGRES_COMMAND_OK && last == NULL) || fail(s, ended, "COPY", err);
}

static bool move_position(struct link_store *s, const struct ship_position *before, const struct ship_position *after,
                          struct error *err)
{
    char numbers[4][NUMBER_MAX];
    const uint64_t all[] = {(uint64_t)after->file_ns, after->offset, after->seq, before->offset};

    for (size_t i = 0; i < COUNT(all); i++) {
        (void)snprintf(numbers[i], sizeof(numbers[i]), "%" PRIu64, all[i]);
    }
    const char *const values[] = {s->node, after->file, numbers[0], numbers[1], numbers[2], before->file, numbers[3]};
    PGresult *result CLEANUP(clear_result) = PQexecParams(
        s->connection,
        "UPDATE filterd.node SET file = $2, file_ns = $3, file_offset = $4, forwarded = $5, seen = now() "
        "WHERE node = $1 AND file = $6 AND file_offset = $7",
        COUNT(values), NULL, values, NULL, NULL, 0);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        return fail(s, result, "position", err);
    }
    if (strcmp(PQcmdTuples(result), "1") != 0) {
        disconnect(s);
        return error_set(err, ERROR_DENIED, "database: the position was moved by another");
    }
    return true;
}

bool link_store_copy(struct link_store *s, struct span rows, const struct ship_position *before,
                     const struct ship_position *after, struct error *err)
{
    return run(s, "BEGIN", 0, NULL, "BEGIN", err) && (rows.len == 0 || copy_rows(s, rows, err)) &&
           move_position(s, before, after, err) && run(s, "COMMIT", 0, NULL, "COMMIT", err);
}

bool link_store_beat(struct link_store *s, struct error *err)
{
    const char *const values[] = {s->node};

    return run(s, "UPDATE filterd.node SET seen = now() WHERE node = $1", 1, values, "heartbeat", err);
}
