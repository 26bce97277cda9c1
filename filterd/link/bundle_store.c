#include "link/bundle_store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum { NUMBER_MAX = 24, PART_BYTES = 1024 * 1024, VALUES_MAX = 12, SCHEMA_ELAPSED = 5 };

struct numbers {
    char text[VALUES_MAX][NUMBER_MAX];
    size_t n;
};

static const char *number(struct numbers *all, uint64_t value)
{
    char *text = all->text[all->n++];

    (void)snprintf(text, NUMBER_MAX, "%" PRIu64, value);
    return text;
}

#define USE(column, value, set)                                                                                                  \
    "INSERT INTO filterd.bundle_use AS u (node, version, begun_ns, answers, blocked, unjudged" column ") "                       \
    "VALUES ($1::smallint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint" value ") "                               \
    "ON CONFLICT (node, version, begun_ns) DO UPDATE SET answers = EXCLUDED.answers, blocked = EXCLUDED.blocked, "               \
    "unjudged = EXCLUDED.unjudged, at = EXCLUDED.at" set

bool bundle_store_report(struct fleet_store *s, const struct link_message *m, struct error *err)
{
    struct numbers n = {.n = 0};
    const char *const node[] = {s->node, number(&n, m->order), number(&n, m->id), number(&n, (uint64_t)m->until_ns / 1000000000),
                                m->refused == 0 ? NULL : number(&n, m->refused), m->text};
    const char *const use[] = {s->id, node[1], number(&n, (uint64_t)m->at_ns), number(&n, m->answers), number(&n, m->blocked),
                               number(&n, m->unjudged), m->note};

    return link_session_run(&s->session,
                            "UPDATE filterd.node SET bundle = $2::bigint, bundle_highest = $3::bigint, bundle_expires = to_timestamp($4::bigint), "
                            "bundle_refused = $5::bigint, bundle_why = $6 WHERE node = $1",
                            COUNT(node), node, "policy bundle of the node", err) &&
           link_session_run(&s->session, s->schema >= SCHEMA_ELAPSED ? USE(", elapsed", ", string_to_array(nullif($7, ''), ' ')::bigint[]", ", elapsed = EXCLUDED.elapsed") : USE("", "", ""),
                            s->schema >= SCHEMA_ELAPSED ? COUNT(use) : COUNT(use) - 1, use, "policy bundle in use", err);
}

static bool read_wish(struct fleet_store *s, struct bundle_wish *out, struct error *err)
{
    const char *const values[] = {s->id};
    PGresult *rows CLEANUP(link_result_clear) = link_session_ask(
        &s->session,
        "SELECT version, length(archive) FROM filterd.bundle b "
        "WHERE EXISTS (SELECT FROM filterd.bundle_nodes(b.version) m WHERE m.id = $1::smallint) ORDER BY version DESC LIMIT 1",
        COUNT(values), values, "policy bundles", err);

    if (rows != NULL && PQntuples(rows) == 1) {
        out->version = strtoull(link_value(rows, 0, 0), NULL, 10);
        out->size = strtoull(link_value(rows, 0, 1), NULL, 10);
    }
    return rows != NULL;
}

bool bundle_store_look(struct fleet_store *s, uint64_t in_force, struct bundle_wish *out, struct error *err)
{
    struct numbers n = {.n = 0};
    const char *const values[] = {number(&n, in_force)};

    *out = (struct bundle_wish){.version = 0};
    if (!link_session_run(&s->session, "SELECT filterd.advance_bundles()", 0, NULL, "rollouts", err) || !read_wish(s, out, err)) {
        return false;
    }
    PGresult *rows CLEANUP(link_result_clear) =
        link_session_ask(&s->session, "SELECT why FROM filterd.bundle WHERE version = $1::bigint AND state = 'stopped'", COUNT(values),
                         values, "rollouts", err);
    out->is_stopped = rows != NULL && PQntuples(rows) == 1;
    if (out->is_stopped) {
        (void)link_text_set(out->why, sizeof(out->why), span_str(link_value(rows, 0, 0)));
    }
    return rows != NULL;
}

bool bundle_store_note(struct link_session *s, bool is_keys, uint64_t version, struct buf *out, struct error *err)
{
    struct numbers n = {.n = 0};
    const char *const values[] = {number(&n, version)};
    PGresult *rows CLEANUP(link_result_clear) =
        link_session_ask(s,
                         is_keys ? "SELECT note FROM filterd.bundle_keys WHERE generation = $1::bigint"
                                 : "SELECT note FROM filterd.bundle WHERE version = $1::bigint",
                         COUNT(values), values, "note of a policy bundle", err);

    if (rows == NULL) {
        return false;
    }
    if (PQntuples(rows) != 1) {
        return error_set(err, ERROR_NOT_FOUND, "database: there is no note %" PRIu64, version);
    }
    return buf_append(out, span_of(link_value(rows, 0, 0), (size_t)PQgetlength(rows, 0, 0)), err);
}

bool bundle_store_part(struct link_session *s, uint64_t version, size_t offset, struct buf *out, struct error *err)
{
    struct numbers n = {.n = 0};
    const char *const values[] = {number(&n, version), number(&n, offset + 1), number(&n, PART_BYTES)};
    PGresult *rows CLEANUP(link_result_clear) =
        link_session_ask(s, "SELECT substring(archive FROM $2::integer FOR $3::integer) FROM filterd.bundle WHERE version = $1::bigint",
                         COUNT(values), values, "archive of a policy bundle", err);

    if (rows == NULL || PQntuples(rows) != 1) {
        return rows != NULL && error_set(err, ERROR_NOT_FOUND, "database: policy bundle %" PRIu64 " is gone", version);
    }
    size_t len = 0;
    unsigned char *bytes = PQunescapeBytea((const unsigned char *)link_value(rows, 0, 0), &len);
    bool is_read = bytes != NULL && len > 0 ? buf_append(out, span_of((const char *)bytes, len), err)
                                            : error_set(err, ERROR_INVALID, "database: policy bundle %" PRIu64 " is shorter than it was", version);
    PQfreemem(bytes);
    return is_read;
}
