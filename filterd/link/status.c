#include "link/status.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum { SCHEMA_STATUS = 5, EVERY_MS = 5000 };

/* --- rows --------------------------------------------------------------------------------- */

static int64_t number_at(const PGresult *rows, int row, int column)
{
    return strtoll(link_value(rows, row, column), NULL, 10);
}

static uint64_t count_at(const PGresult *rows, int row, int column)
{
    int64_t n = number_at(rows, row, column);

    return n < 0 ? 0 : (uint64_t)n;
}

static void text_at(const PGresult *rows, int row, int column, char *to, size_t size)
{
    (void)link_text_set(to, size, span_str(link_value(rows, row, column)));
}

static void fill_node(const PGresult *rows, int i, struct link_message *m)
{
    text_at(rows, i, 0, m->node, sizeof(m->node));
    text_at(rows, i, 1, m->by, sizeof(m->by));
    text_at(rows, i, 2, m->note, sizeof(m->note));
    m->at_ns = number_at(rows, i, 3) * 1000000;
    m->lease_ns = number_at(rows, i, 4) * 1000000;
    m->lines = count_at(rows, i, 5);
    m->copied = count_at(rows, i, 6);
    m->covered = count_at(rows, i, 7);
    m->order = count_at(rows, i, 8);
    m->until_ns = number_at(rows, i, 9) * 1000000000;
    m->refused = count_at(rows, i, 10);
    text_at(rows, i, 11, m->text, sizeof(m->text));
}

static void fill_bundle(const PGresult *rows, int i, struct link_message *m)
{
    m->order = count_at(rows, i, 0);
    text_at(rows, i, 1, m->by, sizeof(m->by));
    m->nodes = (uint32_t)count_at(rows, i, 2);
    m->missing = (uint32_t)count_at(rows, i, 3);
    text_at(rows, i, 4, m->text, sizeof(m->text));
}

/* A row that the program could not have written is given without its values: the receiver knows by their number that all came. */
static bool give_rows(struct fleet_store *s, const char *statement, enum link_message_kind kind, fleet_give *give, void *context,
                      struct error *err)
{
    PGresult *rows CLEANUP(link_result_clear) = link_session_ask(&s->session, statement, 0, NULL, "state of the fleet", err);
    int n = rows == NULL ? 0 : PQntuples(rows);
    struct link_message m;

    for (int i = 0; i < n; i++) {
        link_message_init(&m, kind);
        (kind == LINK_NODE ? fill_node : fill_bundle)(rows, i, &m);
        m.id = (uint64_t)i;
        m.is_done = i == n - 1;
        if (link_message_is_valid(&m) && !give(context, &m, err)) {
            return false;
        }
    }
    return rows != NULL;
}

/* The size of a checkpoint is its second line; what is no number counts as 0. */
static const char nodes[] =
    "SELECT node, CASE WHEN alive IS NULL THEN 'left' WHEN alive > clock_timestamp() - interval '5 seconds' THEN 'alive' ELSE 'lost' END, "
    "coalesce(version, ''), coalesce((extract(epoch FROM coalesce(alive, seen)) * 1000)::bigint, 0), coalesce((extract(epoch FROM lease) * 1000)::bigint, 0), "
    "coalesce(lines, 0), forwarded, left(split_part(coalesce(checkpoint, ''), E'\\n', 2), 20), coalesce(bundle, 0), "
    "coalesce(extract(epoch FROM bundle_expires)::bigint, 0), coalesce(bundle_refused, 0), coalesce(bundle_why, '') "
    "FROM filterd.node ORDER BY node LIMIT 256";
static const char bundles[] =
    "SELECT version, state, stage, (SELECT count(*) FROM filterd.bundle_stage s WHERE s.version = b.version), why FROM filterd.bundle b "
    "ORDER BY version DESC LIMIT 8";

bool link_status_step(struct link_status *l, struct fleet_store *s, fleet_give *give, void *context, struct error *err)
{
    int64_t now_ms = clock_monotonic_ms();

    if (s->schema < SCHEMA_STATUS || (l->given_ms != 0 && now_ms - l->given_ms < EVERY_MS)) {
        return true;
    }
    l->given_ms = now_ms;
    return give_rows(s, nodes, LINK_NODE, give, context, err) && give_rows(s, bundles, LINK_BUNDLE, give, context, err);
}
