#include "link/reviews.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "review/review_order.h"

enum { SCHEMA_ORDERS = 5, AGAIN_MS = 5000, NUMBER_MAX = 24, MEMORY_MAX = 64 * 1024 };

/* --- contact ---------------------------------------------------------------------------- */

/* Without the privileges the rest of what nodes share goes on. */
bool link_reviews_begin(struct link_reviews *r, struct fleet_store *s, struct error *err)
{
    *r = (struct link_reviews){.is_console = r->is_console};
    if (s->schema < SCHEMA_ORDERS) {
        return true;
    }
    PGresult *row CLEANUP(link_result_clear) = link_session_ask(
        &s->session, "SELECT has_table_privilege('filterd.review_order', 'SELECT') AND has_table_privilege('filterd.review_order', 'UPDATE') "
        "AND has_table_privilege('filterd.review_order', 'DELETE')", 0, NULL,
        "privileges", err);
    if (row == NULL) {
        return false;
    }
    r->is_able = link_value(row, 0, 0)[0] == 't';
    if (!r->is_able) {
        log_warn("link: the role may not SELECT, UPDATE and DELETE filterd.review_order: decisions of review consoles do not arrive here");
    }
    return !r->is_able || link_session_run(&s->session, "LISTEN filterd_reviews", 0, NULL, "preparation", err);
}

/* --- a console's orders ------------------------------------------------------------------- */

static bool refuse(const struct link_message *m, const char *why, fleet_give *give, void *context, struct error *err)
{
    struct link_message answer = *m;

    answer.kind = LINK_REVIEW_STATE;
    answer.is_done = true;
    answer.order = 0;
    (void)link_text_set(answer.text, sizeof(answer.text), span_str(why));
    return give(context, &answer, err);
}

/* Its key and node; the signature is verified where it is carried out. */
static bool read_order(const char *note, char key[REVIEW_ORDER_ID + 1], char node[LINK_WIRE_NODE])
{
    struct review_order order;
    struct arena memory;
    struct error ignored;

    arena_init(&memory, 0, MEMORY_MAX);
    bool is_read = review_order_read(span_str(note), &memory, &order, &ignored) && link_text_set(node, LINK_WIRE_NODE, order.node);
    if (is_read) {
        memcpy(key, order.id, sizeof(order.id));
    }
    arena_deinit(&memory);
    return is_read;
}

/* That a node is known and that this role may insert is asked for first: a statement that fails would end the contact. */
bool link_reviews_place(struct link_reviews *r, struct fleet_store *s, const struct link_message *m, fleet_give *give, void *context,
                        struct error *err)
{
    char key[REVIEW_ORDER_ID + 1], node[LINK_WIRE_NODE];
    const char *const values[] = {key, node, m->note};

    if (!r->is_able || !read_order(m->note, key, node)) {
        return refuse(m, "the database does not take orders of review consoles", give, context, err);
    }
    PGresult *row CLEANUP(link_result_clear) =
        link_session_ask(&s->session,
                         "SELECT has_table_privilege('filterd.review_order', 'INSERT'), EXISTS (SELECT FROM filterd.node WHERE node = $1)", 1, values + 1,
                         "privileges", err);
    if (row == NULL) {
        return false;
    }
    if (link_value(row, 0, 0)[0] != 't' || link_value(row, 0, 1)[0] != 't') {
        return refuse(m, link_value(row, 0, 0)[0] != 't' ? "the role may not INSERT into filterd.review_order" : "the fleet has no such node", give,
                      context, err);
    }
    /* On disk as the database has it: filterd is answered by its state. */
    return link_session_run(&s->session,
                            "WITH durable AS (SELECT set_config('synchronous_commit', 'on', true)), placed AS "
                            "(INSERT INTO filterd.review_order (key, node, note) SELECT $1, $2, $3 FROM durable ON CONFLICT (key) DO NOTHING RETURNING id) "
                            "SELECT pg_notify('filterd_reviews', id::text) FROM placed",
                            COUNT(values), values, "review order", err);
}

/* Those that were committed late are read again: a state may be given twice. */
static bool give_states(struct link_reviews *r, struct fleet_store *s, fleet_give *give, void *context, struct error *err)
{
    const char *const values[] = {r->changed[0] == '\0' ? NULL : r->changed};
    PGresult *rows CLEANUP(link_result_clear) = link_session_ask(
        &s->session,
        "SELECT id, note, is_settled, line, why, (extract(epoch FROM at) * 1000000000)::bigint, changed::text FROM filterd.review_order "
        "WHERE CASE WHEN $1::timestamptz IS NULL THEN NOT is_settled OR changed > clock_timestamp() - interval '1 hour' "
        "ELSE changed > $1::timestamptz OR changed > greatest($1::timestamptz, clock_timestamp() - interval '5 seconds') - interval '5 seconds' END "
        "ORDER BY changed LIMIT 500",
        COUNT(values), values, "review orders", err);
    struct link_message m;

    for (int i = 0; rows != NULL && i < PQntuples(rows); i++) {
        link_message_init(&m, LINK_REVIEW_STATE);
        m.id = strtoull(link_value(rows, i, 0), NULL, 10);
        m.is_done = link_value(rows, i, 2)[0] == 't';
        m.order = strtoull(link_value(rows, i, 3), NULL, 10);
        m.at_ns = strtoll(link_value(rows, i, 5), NULL, 10);
        (void)link_text_set(m.note, sizeof(m.note), span_str(link_value(rows, i, 1)));
        (void)link_text_set(m.text, sizeof(m.text), span_str(link_value(rows, i, 4)));
        (void)snprintf(r->changed, sizeof(r->changed), "%s", link_value(rows, i, 6));
        if (link_message_is_valid(&m) && !give(context, &m, err)) {
            return false;
        }
    }
    return rows != NULL;
}

/* --- a node's orders ---------------------------------------------------------------------- */

bool link_reviews_settle(struct link_reviews *r, struct fleet_store *s, const struct link_message *m, struct error *err)
{
    char id[NUMBER_MAX], line[NUMBER_MAX];
    const char *const values[] = {id, s->node, line, m->text};

    (void)snprintf(id, sizeof(id), "%" PRIu64, m->id);
    (void)snprintf(line, sizeof(line), "%" PRIu64, m->order);
    return !r->is_able ||
           link_session_run(&s->session,
                            "WITH settled AS (UPDATE filterd.review_order SET is_settled = true, line = $3::bigint, why = $4, changed = clock_timestamp() "
                            "WHERE id = $1::bigint AND node = $2 AND NOT is_settled RETURNING id) SELECT pg_notify('filterd_reviews', id::text) FROM settled",
                            COUNT(values), values, "review order", err);
}

static bool give_orders(struct link_reviews *r, struct fleet_store *s, fleet_give *give, void *context, struct error *err)
{
    char after[NUMBER_MAX];
    const char *const values[] = {s->node, after};
    struct link_message m;

    (void)snprintf(after, sizeof(after), "%" PRId64, r->given);
    PGresult *rows CLEANUP(link_result_clear) = link_session_ask(
        &s->session, "SELECT id, note FROM filterd.review_order WHERE node = $1 AND id > $2::bigint AND NOT is_settled ORDER BY id LIMIT 32", COUNT(values),
        values, "review orders", err);
    for (int i = 0; rows != NULL && i < PQntuples(rows); i++) {
        link_message_init(&m, LINK_REVIEW_TAKE);
        m.id = strtoull(link_value(rows, i, 0), NULL, 10);
        r->given = (int64_t)m.id;
        (void)link_text_set(m.note, sizeof(m.note), span_str(link_value(rows, i, 1)));
        if (link_message_is_valid(&m) && !give(context, &m, err)) {
            return false;
        }
    }
    return rows != NULL;
}

/* An order that was given waits some seconds for its answer: then filterd, or the answer, was lost, and it is given again. */
bool link_reviews_step(struct link_reviews *r, struct fleet_store *s, bool is_announced, fleet_give *give, void *context, struct error *err)
{
    int64_t now_ms = clock_monotonic_ms();
    bool is_time = r->asked_ms == 0 || now_ms - r->asked_ms >= AGAIN_MS;

    if (is_time) {
        r->asked_ms = now_ms;
        r->given = 0;
    }
    return !r->is_able || (!is_time && !is_announced) || (give_orders(r, s, give, context, err) && (!r->is_console || give_states(r, s, give, context, err)));
}

bool link_reviews_tidy(const struct link_reviews *r, struct fleet_store *s, struct error *err)
{
    return !r->is_able ||
           link_session_run(&s->session,
                            "DELETE FROM filterd.review_order WHERE changed < clock_timestamp() - interval '30 days'",
                            0, NULL, "old review orders", err);
}
