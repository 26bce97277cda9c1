#include "link/store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum { NUMBER_MAX = 24, SCHEMA_MIN = 1, SCHEMA_MAX = 7 /* of the next version, too */, SCHEMA_CHECKPOINT = 4, SCHEMA_REMOVAL = 6, STATEMENT_MS = 30000, REPLY_TIMEOUT_MS = 40000, TERMS_MAX = 2048 };

static const int64_t SECOND_NS = 1000000000;

struct link_store {
    char node[SHIP_NAME_MAX + 1], id[NUMBER_MAX];
    int schema;
    struct link_session session;
};

struct link_store *link_store_new(const struct link_database *database, struct span node, struct error *err)
{
    struct link_store *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "store: no memory");
        return NULL;
    }
    s->session = (struct link_session){.database = database, .reply_timeout_ms = REPLY_TIMEOUT_MS};
    (void)snprintf(s->node, sizeof(s->node), SPAN_FMT, SPAN_ARG(node));
    return s;
}

void link_store_free(struct link_store *s)
{
    if (s != NULL) {
        link_session_end(&s->session);
        free(s);
    }
}

bool link_store_is_connected(const struct link_store *s)
{
    return s->session.connection != NULL;
}

const char *link_store_id(const struct link_store *s)
{
    return s->id;
}

static bool check_schema(struct link_store *s, struct error *err)
{
    int version = link_session_schema(&s->session, err);

    s->schema = version;
    return (version >= SCHEMA_MIN && version <= SCHEMA_MAX) ||
           (version != 0 && link_session_refuse(&s->session, ERROR_INVALID, "schema version 1 to 7 expected", err));
}

static bool read_position(struct link_store *s, struct ship_position *p, struct error *err)
{
    const char *const values[] = {s->node};
    PGresult *result CLEANUP(link_result_clear) =
        link_session_ask(&s->session, "SELECT id, file, file_ns, file_offset, forwarded FROM filterd.node WHERE node = $1", 1, values,
                         "position", err);

    if (result == NULL || PQntuples(result) != 1) {
        return result != NULL && link_session_fail(&s->session, result, "position", err);
    }
    (void)snprintf(s->id, sizeof(s->id), "%s", link_value(result, 0, 0));
    (void)snprintf(p->file, sizeof(p->file), "%s", link_value(result, 0, 1));
    p->file_ns = strtoll(link_value(result, 0, 2), NULL, 10);
    p->offset = strtoull(link_value(result, 0, 3), NULL, 10);
    p->seq = strtoull(link_value(result, 0, 4), NULL, 10);
    return true;
}

bool link_store_connect(struct link_store *s, struct ship_position *position, struct error *err)
{
    const char *const names[] = {s->node};

    return link_session_connect(&s->session, "filterd-link", STATEMENT_MS, err) && check_schema(s, err) &&
           link_session_lock(&s->session, s->node, "0", err) &&
           link_session_run(&s->session, "INSERT INTO filterd.node (node) VALUES ($1) ON CONFLICT DO NOTHING", 1, names, "node", err) &&
           read_position(s, position, err);
}

static bool copy_rows(struct link_store *s, struct span rows, struct error *err)
{
    PGresult *begun CLEANUP(link_result_clear) =
        PQexec(s->session.connection, "COPY filterd.record (node, seq, ts, type, action, rule, req_id, line) FROM STDIN");

    if (PQresultStatus(begun) != PGRES_COPY_IN) {
        return link_session_fail(&s->session, begun, "COPY", err);
    }
    if (PQputCopyData(s->session.connection, rows.ptr, (int)rows.len) != 1 || PQputCopyEnd(s->session.connection, NULL) != 1) {
        return link_session_fail(&s->session, NULL, "COPY", err);
    }
    PGresult *ended CLEANUP(link_result_clear) = PQgetResult(s->session.connection);
    PGresult *last CLEANUP(link_result_clear) = PQgetResult(s->session.connection);
    return (PQresultStatus(ended) == PGRES_COMMAND_OK && last == NULL) || link_session_fail(&s->session, ended, "COPY", err);
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
    PGresult *result CLEANUP(link_result_clear) = link_session_ask(
        &s->session,
        "UPDATE filterd.node SET file = $2, file_ns = $3, file_offset = $4, forwarded = $5, seen = now() "
        "WHERE node = $1 AND file = $6 AND file_offset = $7",
        COUNT(values), values, "position", err);
    if (result == NULL) {
        return false;
    }
    if (strcmp(PQcmdTuples(result), "1") != 0) {
        return link_session_refuse(&s->session, ERROR_DENIED, "the position was moved by another", err);
    }
    return true;
}

bool link_store_copy(struct link_store *s, struct span rows, const struct ship_position *before,
                     const struct ship_position *after, struct error *err)
{
    return link_session_run(&s->session, "BEGIN", 0, NULL, "BEGIN", err) && (rows.len == 0 || copy_rows(s, rows, err)) &&
           move_position(s, before, after, err) && link_session_run(&s->session, "COMMIT", 0, NULL, "COMMIT", err);
}

bool link_store_beat(struct link_store *s, struct error *err)
{
    const char *const values[] = {s->node};

    return link_session_run(&s->session, "UPDATE filterd.node SET seen = now() WHERE node = $1", 1, values, "heartbeat", err);
}

bool link_store_checkpoint(struct link_store *s, const char *note, struct error *err)
{
    const char *const values[] = {s->node, note};

    return s->schema < SCHEMA_CHECKPOINT ||
           link_session_run(&s->session, "UPDATE filterd.node SET checkpoint = $2 WHERE node = $1", COUNT(values), values, "checkpoint", err);
}

/* {"review","access"} and {189734400,189734400} */
static bool put_terms(const struct retention *keep, struct buf *types, struct buf *terms, struct error *err)
{
    bool is_put = buf_append(types, span_str("{"), err) && buf_append(terms, span_str("{"), err);

    for (size_t i = 0; i < keep->n && is_put; i++) {
        is_put = buf_appendf(types, err, "%s%s", i == 0 ? "" : ",", keep->terms[i].type) &&
                 buf_appendf(terms, err, "%s%" PRId64, i == 0 ? "" : ",", keep->terms[i].ns / SECOND_NS);
    }
    return is_put && buf_append(types, span_of("}", 2), err) && buf_append(terms, span_of("}", 2), err);
}

bool link_store_remove(struct link_store *s, uint64_t minimum, const struct retention *keep, uint64_t *n, struct error *err)
{
    struct buf types CLEANUP(buf_deinit), terms CLEANUP(buf_deinit);
    char last[NUMBER_MAX], all[NUMBER_MAX];

    buf_init(&types, TERMS_MAX);
    buf_init(&terms, TERMS_MAX);
    if (s->schema < SCHEMA_REMOVAL) {
        return error_set(err, ERROR_INVALID, "keep: schema version 6 expected (retention.sql)");
    }
    if (!put_terms(keep, &types, &terms, err)) {
        return false;
    }
    (void)snprintf(last, sizeof(last), "%" PRIu64, minimum);
    (void)snprintf(all, sizeof(all), "%" PRId64, keep->all_ns / SECOND_NS);
    const char *const values[] = {s->id, last, all, types.data, terms.data};
    PGresult *row CLEANUP(link_result_clear) = link_session_ask(&s->session, "SELECT filterd.remove_due($1::smallint, $2::bigint, $3::bigint, $4::text[], $5::bigint[])",
                                                                COUNT(values), values, "copies to be deleted", err);
    *n = row == NULL || PQntuples(row) != 1 ? 0 : strtoull(link_value(row, 0, 0), NULL, 10);
    return row != NULL;
}
