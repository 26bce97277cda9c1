#include "link/fleet_store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum { NUMBER_MAX = 32, SCHEMA_MIN = 3, SCHEMA_MAX = 7 /* of the next version, too */, SCHEMA_STATE = 5, STATEMENT_MS = 2000, REPLY_TIMEOUT_MS = 3000, SKEW_S = 5, ORDERS_MAX = 500 };
enum { ACKNOWLEDGED_WITHIN_MS = 2000 };

static const char *const preparations[] = {
    "LISTEN filterd_orders",
    "LISTEN filterd_bundles",
    /* Parts are absolute: one that a crash loses is written again. Orders commit as the database has it. */
    "SET synchronous_commit = off",
    "PREPARE part(text, text, smallint, float8, bigint, bigint, bigint) AS "
    "INSERT INTO filterd.part AS p (tenant, agent, node, score, half_life_ns, at_ns, since_order) VALUES ($1, $2, $3, $4, $5, $6, $7) "
    "ON CONFLICT (tenant, agent, node) DO UPDATE SET score = EXCLUDED.score, half_life_ns = EXCLUDED.half_life_ns, "
    "at_ns = EXCLUDED.at_ns, since_order = EXCLUDED.since_order "
    "WHERE p.since_order < EXCLUDED.since_order OR (p.since_order = EXCLUDED.since_order AND p.at_ns <= EXCLUDED.at_ns)",
    "PREPARE others(smallint, text, text, bigint) AS SELECT filterd.others($1, $2, $3, $4)",
};

void fleet_store_init(struct fleet_store *s, const struct link_database *database, struct span node)
{
    *s = (struct fleet_store){.session = {.database = database, .reply_timeout_ms = REPLY_TIMEOUT_MS}};
    (void)snprintf(s->node, sizeof(s->node), SPAN_FMT, SPAN_ARG(node));
}

/* --- rows ------------------------------------------------------------------------------ */

struct number {
    char text[NUMBER_MAX];
};

static const char *number(struct number *n, int64_t value)
{
    (void)snprintf(n->text, sizeof(n->text), "%" PRId64, value);
    return n->text;
}

static int64_t integer_at(const PGresult *rows, int row, int column)
{
    return strtoll(link_value(rows, row, column), NULL, 10);
}

/* What does not fit stays cut: the receiver finds no such agent. */
static void text_at(const PGresult *rows, int row, int column, char *to, size_t size)
{
    (void)link_text_set(to, size, span_of(link_value(rows, row, column), (size_t)PQgetlength(rows, row, column)));
}

/* --- the connection ----------------------------------------------------------------------- */

static bool check_clock(struct fleet_store *s, struct error *err)
{
    PGresult *rows CLEANUP(link_result_clear) = link_session_ask(
        &s->session, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", 0, NULL, "clock", err);

    if (rows == NULL) {
        return false;
    }
    int64_t off_ms = integer_at(rows, 0, 0) - clock_utc_ns() / 1000000;
    return (off_ms < SKEW_S * 1000 && off_ms > -SKEW_S * 1000) ||
           link_session_refuse(&s->session, ERROR_DENIED, "its clock and this node's are more than 5 s apart", err);
}

static bool read_id(struct fleet_store *s, struct error *err)
{
    const char *const names[] = {s->node};

    if (!link_session_run(&s->session, "INSERT INTO filterd.node (node) VALUES ($1) ON CONFLICT DO NOTHING", 1, names, "node", err)) {
        return false;
    }
    PGresult *rows CLEANUP(link_result_clear) =
        link_session_ask(&s->session, "SELECT id FROM filterd.node WHERE node = $1", 1, names, "node", err);
    if (rows == NULL || PQntuples(rows) != 1) {
        return rows != NULL && link_session_fail(&s->session, rows, "node", err);
    }
    (void)snprintf(s->id, sizeof(s->id), "%s", link_value(rows, 0, 0));
    return true;
}

bool fleet_store_connect(struct fleet_store *s, struct error *err)
{
    s->newest = 0;
    if (!link_session_connect(&s->session, "filterd-link fleet", STATEMENT_MS, err)) {
        return false;
    }
    int version = s->schema = link_session_schema(&s->session, err);
    bool is_good = (version >= SCHEMA_MIN && version <= SCHEMA_MAX) || (version != 0 && link_session_refuse(&s->session, ERROR_INVALID,
                                                                           "schema version 3 to 7 expected (bundles.sql)", err));
    is_good = is_good && check_clock(s, err) && link_session_lock(&s->session, s->node, "1", err) && read_id(s, err);
    for (size_t i = 0; i < COUNT(preparations) && is_good; i++) {
        is_good = link_session_run(&s->session, preparations[i], 0, NULL, "preparation", err);
    }
    return is_good;
}

void fleet_store_take_announcements(struct fleet_store *s, bool *is_announced)
{
    PGnotify *one = NULL;

    while ((one = PQnotifies(s->session.connection)) != NULL) {
        *is_announced = true;
        PQfreemem(one);
    }
}

bool fleet_store_hear(struct fleet_store *s, bool *is_announced, struct error *err)
{
    if (PQconsumeInput(s->session.connection) == 0) {
        return link_session_fail(&s->session, NULL, "listening", err);
    }
    fleet_store_take_announcements(s, is_announced);
    return true;
}

#define BEAT "WITH mine AS (UPDATE filterd.node SET alive = clock_timestamp(), lease = $2::bigint * interval '1 microsecond'"
#define BEAT_COUNT " WHERE node = $1) SELECT 1 + count(*) FROM filterd.node WHERE node <> $1 AND alive > clock_timestamp() - interval '5 seconds'"

bool fleet_store_beat(struct fleet_store *s, int64_t lease_ns, const struct link_message *said, uint32_t *nodes, struct error *err)
{
    struct number lease, lines;
    const char *const values[] = {s->node, lease_ns == 0 ? NULL : number(&lease, lease_ns / 1000), said->text, number(&lines, (int64_t)said->lines)};
    bool has_state = s->schema >= SCHEMA_STATE;
    PGresult *rows CLEANUP(link_result_clear) =
        link_session_ask(&s->session, has_state ? BEAT ", version = left($3, 64), lines = $4::bigint" BEAT_COUNT : BEAT BEAT_COUNT, has_state ? 4 : 2, values,
                         "heartbeat", err);

    if (rows != NULL) {
        *nodes = (uint32_t)integer_at(rows, 0, 0);
    }
    return rows != NULL;
}

bool fleet_store_leave(struct fleet_store *s, struct error *err)
{
    const char *const values[] = {s->node};

    return link_session_run(&s->session, "UPDATE filterd.node SET alive = NULL WHERE node = $1", 1, values, "leaving", err);
}

bool fleet_store_begin_after(struct fleet_store *s, uint64_t order, struct error *err)
{
    struct number text;
    const char *const values[] = {number(&text, (int64_t)order)};

    return order == 0 ||
           link_session_run(&s->session,
                            "SELECT setval(pg_get_serial_sequence('filterd.orders', 'id'), $1::bigint) "
                            "WHERE $1::bigint > (SELECT coalesce(max(id), 0) FROM filterd.orders)",
                            1, values, "numbers of orders", err);
}

/* --- parts ----------------------------------------------------------------------------------- */

static bool send_part(struct fleet_store *s, const struct link_message *m)
{
    struct number half_life, at, order;
    char score[NUMBER_MAX];
    const char *const values[] = {m->tenant, m->agent, s->id, score, number(&half_life, m->half_life_ns), number(&at, m->at_ns),
                                  number(&order, (int64_t)m->order)};

    (void)snprintf(score, sizeof(score), "%.17g", m->score);
    return PQsendQueryPrepared(s->session.connection, "part", COUNT(values), values, NULL, NULL, 0) == 1;
}

static bool send_question(struct fleet_store *s, const struct link_message *m, int64_t now_ns)
{
    struct number now;
    const char *const values[] = {s->id, m->tenant, m->agent, number(&now, now_ns)};

    return PQsendQueryPrepared(s->session.connection, "others", COUNT(values), values, NULL, NULL, 0) == 1;
}

/* The result of one statement of a pipeline, which a NULL ends. */
static PGresult *take_one(struct fleet_store *s, ExecStatusType wanted, struct error *err)
{
    bool is_late = false, is_more_late = false;
    PGresult *result = link_session_result(&s->session, &is_late);
    PGresult *end CLEANUP(link_result_clear) =
        result == NULL || wanted == PGRES_PIPELINE_SYNC ? NULL : link_session_result(&s->session, &is_more_late);

    if (result == NULL || is_more_late || end != NULL || PQresultStatus(result) != wanted) {
        (void)link_session_fail(&s->session, result, "parts", err);
        PQclear(result);
        return NULL;
    }
    return result;
}

static bool skip_one(struct fleet_store *s, ExecStatusType wanted, struct error *err)
{
    PGresult *result CLEANUP(link_result_clear) = take_one(s, wanted, err);

    return result != NULL;
}

static bool take_all(struct fleet_store *s, struct link_message *messages, size_t n, int64_t now_ns, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (messages[i].kind == LINK_PART && !skip_one(s, PGRES_COMMAND_OK, err)) {
            return false;
        }
    }
    if (!skip_one(s, PGRES_PIPELINE_SYNC, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        PGresult *row CLEANUP(link_result_clear) = take_one(s, PGRES_TUPLES_OK, err);
        if (row == NULL) {
            return false;
        }
        messages[i].kind = LINK_OTHERS;
        messages[i].score = strtod(link_value(row, 0, 0), NULL);
        messages[i].at_ns = now_ns;
    }
    return skip_one(s, PGRES_PIPELINE_SYNC, err);
}

/* The parts are committed before the sums are read: of two nodes that write at once the later one sees both. */
bool fleet_store_exchange(struct fleet_store *s, struct link_message *messages, size_t n, struct error *err)
{
    PGconn *c = s->session.connection;
    int64_t now_ns = clock_utc_ns();
    bool is_sent = PQenterPipelineMode(c) == 1;

    for (size_t i = 0; i < n && is_sent; i++) {
        is_sent = messages[i].kind != LINK_PART || send_part(s, &messages[i]);
    }
    is_sent = is_sent && PQpipelineSync(c) == 1;
    for (size_t i = 0; i < n && is_sent; i++) {
        is_sent = send_question(s, &messages[i], now_ns);
    }
    if (!is_sent || PQpipelineSync(c) != 1) {
        return link_session_fail(&s->session, NULL, "parts", err);
    }
    return take_all(s, messages, n, now_ns, err) &&
           (PQexitPipelineMode(c) == 1 || link_session_fail(&s->session, NULL, "parts", err));
}

/* --- orders ---------------------------------------------------------------------------------- */

static bool lift(struct fleet_store *s, struct link_message *m, struct error *err)
{
    const char *const values[] = {s->id, m->tenant, m->agent, link_what_name(m->what), m->text, m->by};
    PGresult *row CLEANUP(link_result_clear) =
        link_session_ask(&s->session, "SELECT filterd.lift($1::smallint, $2, $3, $4, $5, $6)", COUNT(values), values, "order", err);

    if (row != NULL) {
        m->kind = LINK_GRANT;
        m->is_done = true;
        m->order = (uint64_t)integer_at(row, 0, 0);
    }
    return row != NULL;
}

bool fleet_store_claim(struct fleet_store *s, struct link_message *m, struct error *err)
{
    struct number now, until, order;
    char what[NUMBER_MAX];
    const char *const values[] = {s->id, m->tenant, m->agent, what, link_what_lasts(m->what) ? "t" : "f",
                                  number(&now, m->at_ns), number(&until, m->until_ns), number(&order, (int64_t)m->order), m->text,
                                  m->by};

    if (m->what == LINK_RESUME || m->what == LINK_REVIVE) {
        return lift(s, m, err);
    }
    if (link_what_lasts(m->what)) {
        (void)snprintf(what, sizeof(what), "%s", link_what_name(m->what));
    } else {
        (void)snprintf(what, sizeof(what), "%s@%g", link_what_name(m->what), m->score);
    }
    PGresult *row CLEANUP(link_result_clear) = link_session_ask(
        &s->session, "SELECT won, its_order FROM filterd.claim($1::smallint, $2, $3, $4, $5::boolean, $6::bigint, $7::bigint, $8::bigint, $9, $10)",
        COUNT(values), values, "claim", err);
    if (row != NULL) {
        m->kind = LINK_GRANT;
        m->is_done = link_value(row, 0, 0)[0] == 't';
        m->order = (uint64_t)integer_at(row, 0, 1);
    }
    return row != NULL;
}

bool fleet_store_acknowledge(struct fleet_store *s, const struct link_message *m, struct error *err)
{
    struct number order, survivors, took;
    const char *const values[] = {number(&order, (int64_t)m->order), s->id, number(&survivors, m->survivors),
                                  number(&took, m->took_us)};

    return link_session_run(&s->session,
                            "INSERT INTO filterd.acks (order_id, node, survivors, took_us) "
                            "SELECT id, $2::smallint, $3::bigint, $4::bigint FROM filterd.orders WHERE id = $1::bigint ON CONFLICT DO NOTHING",
                            COUNT(values), values, "acknowledgement", err);
}

static void fill_order(const PGresult *rows, int row, enum link_message_kind kind, struct link_message *m)
{
    link_message_init(m, kind);
    m->order = (uint64_t)integer_at(rows, row, 0);
    text_at(rows, row, 1, m->tenant, sizeof(m->tenant));
    text_at(rows, row, 2, m->agent, sizeof(m->agent));
    m->what = link_what_find(span_str(link_value(rows, row, 3)));
    text_at(rows, row, 4, m->text, sizeof(m->text));
    text_at(rows, row, 5, m->by, sizeof(m->by));
    text_at(rows, row, 6, m->node, sizeof(m->node));
    m->is_done = link_value(rows, row, 7)[0] == 't';
    m->at_ns = integer_at(rows, row, 8);
}

/* One that the program could not have written is left out: it would end the connection, again and again. */
static bool give_orders(PGresult *rows, enum link_message_kind kind, fleet_give *give, void *context, struct error *err)
{
    struct link_message m;

    for (int i = 0; i < PQntuples(rows); i++) {
        fill_order(rows, i, kind, &m);
        if (link_message_is_valid(&m) && !give(context, &m, err)) {
            return false;
        }
    }
    return true;
}

#define ORDER_COLUMNS "o.id, o.tenant, o.agent, o.what, o.why, o.\"by\", coalesce(n.node, ''), k.node IS NOT NULL, (extract(epoch FROM o.at) * 1000000000)::bigint "
#define ORDER_TABLES "filterd.orders o LEFT JOIN filterd.node n ON n.id = o.node LEFT JOIN filterd.acks k ON k.order_id = o.id AND k.node = $1::smallint "

/* What stands is read behind the newest number, so that an order between the two is read twice, not missed. What else this node
 * has not acknowledged has no effect any more. */
bool fleet_store_sync(struct fleet_store *s, fleet_give *give, void *context, struct error *err)
{
    const char *const values[] = {s->id};
    struct link_message m;
    PGresult *newest CLEANUP(link_result_clear) =
        link_session_ask(&s->session, "SELECT coalesce(max(id), 0) FROM filterd.orders", 0, NULL, "orders", err);

    if (newest == NULL) {
        return false;
    }
    s->newest = (uint64_t)integer_at(newest, 0, 0);
    PGresult *rows CLEANUP(link_result_clear) = link_session_ask(
        &s->session, "SELECT " ORDER_COLUMNS "FROM filterd.standing s JOIN " ORDER_TABLES "ON s.order_id = o.id ORDER BY o.id",
        COUNT(values), values, "standing", err);
    if (rows == NULL || !give_orders(rows, LINK_STANDING, give, context, err)) {
        return false;
    }
    link_message_init(&m, LINK_SYNCED);
    m.order = s->newest;
    return give(context, &m, err) &&
           link_session_run(&s->session,
                            "INSERT INTO filterd.acks (order_id, node, survivors, took_us) SELECT o.id, $1::smallint, 0, 0 FROM filterd.orders o "
                            "WHERE NOT EXISTS (SELECT FROM filterd.standing s WHERE s.order_id = o.id) ON CONFLICT DO NOTHING",
                            COUNT(values), values, "acknowledgements", err);
}

bool fleet_store_orders(struct fleet_store *s, fleet_give *give, void *context, struct error *err)
{
    struct number newest;
    int n = ORDERS_MAX;

    while (n == ORDERS_MAX) {
        const char *const values[] = {s->id, number(&newest, (int64_t)s->newest)};
        PGresult *rows CLEANUP(link_result_clear) =
            link_session_ask(&s->session, "SELECT " ORDER_COLUMNS "FROM " ORDER_TABLES "WHERE o.id > $2::bigint ORDER BY o.id LIMIT 500",
                             COUNT(values), values, "orders", err);
        if (rows == NULL || !give_orders(rows, LINK_ORDER, give, context, err)) {
            return false;
        }
        n = PQntuples(rows);
        s->newest = n > 0 ? (uint64_t)integer_at(rows, n - 1, 0) : s->newest;
    }
    return true;
}

/* --- results ----------------------------------------------------------------------------------- */

static bool mark(struct fleet_store *s, const struct link_message *m, struct error *err)
{
    struct number order;
    const char *const values[] = {number(&order, (int64_t)m->order)};

    return link_session_run(&s->session,
                            m->is_done ? "UPDATE filterd.orders SET done = clock_timestamp() WHERE id = $1::bigint"
                                       : "UPDATE filterd.orders SET notified = clock_timestamp() WHERE id = $1::bigint",
                            1, values, "result", err);
}

static void fill_result(const PGresult *rows, int row, struct link_message *m)
{
    link_message_init(m, LINK_RESULT);
    m->order = (uint64_t)integer_at(rows, row, 0);
    text_at(rows, row, 1, m->tenant, sizeof(m->tenant));
    text_at(rows, row, 2, m->agent, sizeof(m->agent));
    m->nodes = (uint32_t)integer_at(rows, row, 3);
    m->missing = (uint32_t)integer_at(rows, row, 4);
    m->presumed = (uint32_t)integer_at(rows, row, 5);
    m->survivors = integer_at(rows, row, 6);
    text_at(rows, row, 7, m->text, sizeof(m->text));
    m->took_us = integer_at(rows, row, 8);
    m->is_done = m->missing == 0;
}

/* Those that it was notified of come last: a node that is gone for good keeps them open. */
bool fleet_store_results(struct fleet_store *s, fleet_give *give, void *context, bool *is_open, struct error *err)
{
    static const char statement[] =
        "SELECT o.id, o.tenant, o.agent, count(*), count(*) FILTER (WHERE k.node IS NULL AND NOT n.over), "
        "count(*) FILTER (WHERE k.node IS NULL AND n.over), coalesce(sum(k.survivors), 0), "
        "coalesce(string_agg(n.node, ' ' ORDER BY n.node) FILTER (WHERE k.node IS NULL AND NOT n.over), ''), "
        "(extract(epoch FROM coalesce(max(k.at), clock_timestamp()) - o.at) * 1000000)::bigint, o.notified IS NOT NULL, "
        "clock_timestamp() - o.at > $2::bigint * interval '1 millisecond' "
        "FROM filterd.orders o CROSS JOIN (SELECT id, node, "
        "coalesce(alive + lease + interval '1 second' < clock_timestamp(), false) AS over FROM filterd.node WHERE alive IS NOT NULL) n "
        "LEFT JOIN filterd.acks k ON k.order_id = o.id AND k.node = n.id "
        "WHERE o.node = $1::smallint AND o.done IS NULL GROUP BY o.id ORDER BY o.notified IS NOT NULL, o.id DESC LIMIT 100";
    struct number within;
    const char *const values[] = {s->id, number(&within, ACKNOWLEDGED_WITHIN_MS)};
    PGresult *rows CLEANUP(link_result_clear) = link_session_ask(&s->session, statement, COUNT(values), values, "results", err);
    struct link_message m;

    *is_open = false;
    for (int i = 0; rows != NULL && i < PQntuples(rows); i++) {
        bool was_notified = link_value(rows, i, 9)[0] == 't', is_late = link_value(rows, i, 10)[0] == 't';
        fill_result(rows, i, &m);
        if (!m.is_done && (was_notified || !is_late)) {
            *is_open = *is_open || !was_notified;
            continue;
        }
        if ((link_message_is_valid(&m) && !give(context, &m, err)) || !mark(s, &m, err)) {
            return false;
        }
    }
    return rows != NULL;
}

bool fleet_store_tidy(struct fleet_store *s, struct error *err)
{
    static const char *const statements[] = {
        "DELETE FROM filterd.standing s USING filterd.orders o "
        "WHERE s.what IN ('revive', 'resume') AND s.order_id = o.id AND o.at < clock_timestamp() - interval '30 days'",
        "DELETE FROM filterd.orders o WHERE at < clock_timestamp() - interval '30 days' AND done IS NOT NULL "
        "AND NOT EXISTS (SELECT FROM filterd.standing s WHERE s.order_id = o.id)",
    };
    struct number now;
    const char *const values[] = {s->id, number(&now, clock_utc_ns())};
    bool is_good = link_session_run(
        &s->session,
        "DELETE FROM filterd.part WHERE node = $1::smallint AND "
        "score * power(0.5::float8, least(1000, greatest(0, $2::bigint - at_ns)::float8 / half_life_ns)) < 0.005",
        COUNT(values), values, "faded parts", err);

    for (size_t i = 0; i < COUNT(statements) && is_good; i++) {
        is_good = link_session_run(&s->session, statements[i], 0, NULL, "old orders", err);
    }
    return is_good;
}
