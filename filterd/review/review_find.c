#include "review/review_find.h"

#include <stdio.h>
#include <stdlib.h>

struct review_reader {
    sqlite3 *db;
    uint64_t seq;
};

struct review_reader *review_reader_open(const char *path, struct error *err)
{
    struct index_position position;
    struct review_reader *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        error_set(err, ERROR_NO_MEMORY, "review: no memory");
        return NULL;
    }
    if (!index_store_open_read(&r->db, &review_schema, path, err) || !index_execute(r->db, "BEGIN", err) ||
        !index_position_read(r->db, &position, err)) {
        review_reader_close(r);
        return NULL;
    }
    r->seq = position.seq;
    return r;
}

void review_reader_close(struct review_reader *r)
{
    if (r != NULL) {
        (void)sqlite3_close(r->db);
        free(r);
    }
}

uint64_t review_reader_seq(const struct review_reader *r)
{
    return r->seq;
}

sqlite3 *review_reader_db(struct review_reader *r)
{
    return r->db;
}

static void bind_span(sqlite3_stmt *s, int at, struct span text)
{
    (void)sqlite3_bind_text(s, at, text.len == 0 ? "" : text.ptr, (int)text.len, SQLITE_STATIC);
}

static bool is_of(const char *word, struct span wanted)
{
    return wanted.ptr == NULL || span_is(wanted, word);
}

/* --- items ---------------------------------------------------------------------- */

bool review_states_of(struct span name, enum review_states *out)
{
    static const char *const names[REVIEW_ITEMS_STATES] = {"open", "new", "claimed", "closed"};

    for (unsigned i = 0; i < REVIEW_ITEMS_STATES; i++) {
        if (span_is(name, names[i])) {
            *out = (enum review_states)i;
            return true;
        }
    }
    return false;
}

/* The SQL index for a page, and the condition on its key. Items of a group and overdue items are sorted: they are few, or
 * another index is used. */
enum way { BY_QUEUE, BY_TENANT, BY_RULE, BY_BOTH, BY_CLAIMED, BY_SAMPLE, BY_RULE_SAMPLE, BY_ASSIGNEE, BY_DUE, BY_TENANT_DUE, BY_GROUP, WAYS };
static const struct {
    const char *index, *key;
} ways[WAYS] = {
    [BY_QUEUE] = {"item_queue", ""},
    [BY_TENANT] = {"item_tenant", "i.tenant=?5 AND"},
    [BY_RULE] = {"item_rule", "i.rule=?6 AND"},
    [BY_BOTH] = {"item_both", "i.tenant=?5 AND i.rule=?6 AND"},
    [BY_CLAIMED] = {"item_claimed", "i.state=1 AND"},
    [BY_SAMPLE] = {"item_blind", "i.why=5 AND"},
    [BY_RULE_SAMPLE] = {"item_rule_sample", "i.why=6 AND"},
    [BY_ASSIGNEE] = {"item_assignee", "i.assignee=?7 AND i.assignee!='' AND"},
    [BY_DUE] = {"item_due", "i.due<?8 AND i.is_open=1 AND"},
    [BY_TENANT_DUE] = {"item_tenant_due", "i.tenant=?5 AND i.due<?8 AND i.is_open=1 AND"},
    [BY_GROUP] = {"item_group", "i.grp=(SELECT row FROM grp WHERE id=?9) AND i.grp IS NOT NULL AND"},
};

static bool choose_way(struct review_reader *r, const struct review_items_query *q, enum way *way, struct error *err)
{
    uint64_t n_overdue = REVIEW_ROWS_MAX;

    if (q->is_overdue && !review_count_overdue(r, q->tenant, q->now_ms, REVIEW_ROWS_MAX, &n_overdue, err)) {
        return false;
    }
    bool is_due = n_overdue < REVIEW_ROWS_MAX && q->states != REVIEW_ITEMS_CLOSED;
    *way = q->group != NULL                               ? BY_GROUP
           : q->assignee.len > 0                          ? BY_ASSIGNEE
           : q->states == REVIEW_ITEMS_CLAIMED            ? BY_CLAIMED
           : q->why == REVIEW_SAMPLE                      ? BY_SAMPLE
           : q->why == REVIEW_RULE_SAMPLE                 ? BY_RULE_SAMPLE
           : is_due                                       ? (q->tenant.ptr != NULL ? BY_TENANT_DUE : BY_DUE)
           : q->tenant.ptr != NULL && q->rule.ptr != NULL ? BY_BOTH
           : q->rule.ptr != NULL                          ? BY_RULE
           : q->tenant.ptr != NULL                        ? BY_TENANT
                                                          : BY_QUEUE;
    return true;
}

static bool prepare_items(struct review_reader *r, const struct review_items_query *q, sqlite3_stmt **s, struct error *err)
{
    char sql[1024];
    enum way way;

    if (!choose_way(r, q, &way, err)) {
        return false;
    }
    (void)snprintf(sql, sizeof(sql),
                   "SELECT " REVIEW_ITEM_COLUMNS " FROM item i INDEXED BY %s WHERE %s i.is_open=?1 AND (i.rank, i.seq) > (?2, ?3)"
                   " ORDER BY i.rank, i.seq LIMIT ?4",
                   ways[way].index, ways[way].key);
    if (!index_prepare(r->db, sql, s, err)) {
        return false;
    }
    (void)sqlite3_bind_int(*s, 1, q->states != REVIEW_ITEMS_CLOSED);
    (void)sqlite3_bind_int64(*s, 2, q->has_after ? q->after.rank : INT64_MIN);
    (void)sqlite3_bind_int64(*s, 3, q->has_after ? (sqlite3_int64)q->after.seq : 0);
    (void)sqlite3_bind_int(*s, 4, REVIEW_ROWS_MAX);
    bind_span(*s, 5, q->tenant); /* parameters that the statement lacks are skipped */
    bind_span(*s, 6, q->rule);
    bind_span(*s, 7, q->assignee);
    (void)sqlite3_bind_int64(*s, 8, q->now_ms);
    (void)sqlite3_bind_blob(*s, 9, q->group, q->group == NULL ? 0 : REVIEW_GROUP, SQLITE_STATIC);
    return true;
}

static bool is_wanted(const struct review_item *i, const struct review_items_query *q)
{
    bool is_held = item_is_held(&i->item, q->now_ms);
    bool is_in_state = q->states == REVIEW_ITEMS_NEW ? !is_held : q->states == REVIEW_ITEMS_CLAIMED ? is_held : true;
    bool has_assignee = q->assignee.ptr == NULL || span_is(q->assignee, is_held ? i->item.assignee : "");

    return is_in_state && has_assignee && (q->why == REVIEW_NOT || i->why == q->why) && is_of(i->words[REVIEW_TENANT], q->tenant) && is_of(i->words[REVIEW_RULE], q->rule) &&
           (!q->is_overdue || (item_is_open(&i->item) && i->due_ms < q->now_ms));
}

/* Steps on to the next wanted one; SQLITE_ROW, SQLITE_DONE or a failure. */
static int next_item(sqlite3_stmt *s, const struct review_items_query *q, struct review_item *item, struct review_items_key *at,
                     unsigned *looked_at)
{
    int code;

    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        (*looked_at)++;
        review_item_take(s, item);
        *at = (struct review_items_key){-(int64_t)item->priority.total, item->item.seq};
        if (is_wanted(item, q)) {
            break;
        }
    }
    return code;
}

static bool read_opinions(struct review_reader *r, struct review_item *item, struct error *err);

bool review_items(struct review_reader *r, const struct review_items_query *q, review_item_fn *take, void *context, bool *has_next,
                  struct review_items_key *next, struct error *err)
{
    unsigned n = 0, looked_at = 0;
    struct review_item item;
    sqlite3_stmt *s = NULL;
    bool is_good = prepare_items(r, q, &s, err);
    int code = SQLITE_ROW;

    while (is_good && n < q->limit && (code = next_item(s, q, &item, next, &looked_at)) == SQLITE_ROW) {
        is_good = (item.item.reviewers == 1 && item_is_open(&item.item)) || read_opinions(r, &item, err);
        is_good = is_good && take(context, &item, err);
        n++;
    }
    if (is_good && code != SQLITE_ROW && code != SQLITE_DONE) {
        is_good = index_fail(r->db, err);
    }
    *has_next = n == q->limit || looked_at == REVIEW_ROWS_MAX;
    (void)sqlite3_finalize(s);
    return is_good;
}

static bool read_opinions(struct review_reader *r, struct review_item *item, struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(r->db, "SELECT who, said FROM opinion WHERE item=?1 ORDER BY n", &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)item->item.seq);
    bool is_read = review_opinions_take(r->db, s, &item->item, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

bool review_item_at(struct review_reader *r, uint64_t seq, struct span tenant, struct review_item *out, struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(r->db, "SELECT " REVIEW_ITEM_COLUMNS " FROM item i WHERE i.seq=?1", &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)seq);
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        review_item_take(s, out);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(r->db, err);
    (void)sqlite3_finalize(s);
    if (is_read && (code != SQLITE_ROW || !is_of(out->words[REVIEW_TENANT], tenant))) {
        return error_set(err, ERROR_NOT_FOUND, "review: no item %llu", (unsigned long long)seq);
    }
    return is_read && read_opinions(r, out, err);
}

bool review_item_history(struct review_reader *r, const struct review_item *item, uint64_t *seqs, size_t max, size_t *n,
                         struct error *err)
{
    sqlite3_stmt *s = NULL;
    int code = SQLITE_DONE;

    *n = 0;
    if (!index_prepare(r->db, "SELECT seq FROM step WHERE item=?1 UNION SELECT seq FROM grp_step WHERE grp=?2 AND seq>?1 ORDER BY 1", &s,
                       err)) {
        return false;
    }
    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)item->item.seq);
    (void)sqlite3_bind_int64(s, 2, item->group_row);
    while (*n < max && (code = sqlite3_step(s)) == SQLITE_ROW) {
        seqs[(*n)++] = (uint64_t)sqlite3_column_int64(s, 0);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(r->db, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

/* --- groups --------------------------------------------------------------------- */

bool review_groups(struct review_reader *r, const struct review_groups_query *q, review_group_fn *take, void *context, uint64_t *next,
                   struct error *err)
{
    const char *sql = q->tenant.ptr != NULL
                          ? "SELECT " REVIEW_GROUP_COLUMNS " FROM grp WHERE tenant=?2 AND last_seq<?1 ORDER BY last_seq DESC LIMIT ?3"
                          : "SELECT " REVIEW_GROUP_COLUMNS " FROM grp WHERE last_seq<?1 ORDER BY last_seq DESC LIMIT ?3";
    unsigned n = 0, looked_at = 0;
    struct review_group g = {0};
    sqlite3_stmt *s = NULL;
    bool is_good = index_prepare(r->db, sql, &s, err);
    int code = SQLITE_ROW;

    (void)sqlite3_bind_int64(s, 1, q->before == 0 ? INT64_MAX : (sqlite3_int64)q->before);
    if (q->tenant.ptr != NULL) {
        bind_span(s, 2, q->tenant);
    }
    (void)sqlite3_bind_int(s, 3, REVIEW_ROWS_MAX);
    while (is_good && n < q->limit && (code = sqlite3_step(s)) == SQLITE_ROW) {
        looked_at++;
        review_group_take(s, &g);
        if (is_of(g.rule, q->rule) && (!q->is_open || g.n_open > 0)) {
            n++;
            is_good = take(context, &g, err);
        }
    }
    if (is_good && code != SQLITE_ROW && code != SQLITE_DONE) {
        is_good = index_fail(r->db, err);
    }
    *next = n == q->limit || looked_at == REVIEW_ROWS_MAX ? g.last_seq : 0;
    (void)sqlite3_finalize(s);
    return is_good;
}

bool review_group_at(struct review_reader *r, const uint8_t id[REVIEW_GROUP], struct span tenant, struct review_group *out,
                     struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(r->db, "SELECT " REVIEW_GROUP_COLUMNS " FROM grp WHERE id=?1", &s, err)) {
        return false;
    }
    (void)sqlite3_bind_blob(s, 1, id, REVIEW_GROUP, SQLITE_STATIC);
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        review_group_take(s, out);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(r->db, err);
    (void)sqlite3_finalize(s);
    if (is_read && (code != SQLITE_ROW || !is_of(out->tenant, tenant))) {
        return error_set(err, ERROR_NOT_FOUND, "review: no such group");
    }
    return is_read;
}

bool review_group_trend(struct review_reader *r, int64_t group_row, int64_t now_ms, uint64_t hits[REVIEW_DAYS], struct error *err)
{
    int64_t first = now_ms / 86400000 - REVIEW_DAYS + 1;
    sqlite3_stmt *s = NULL;
    int code;

    memset(hits, 0, REVIEW_DAYS * sizeof(*hits));
    if (!index_prepare(r->db, "SELECT day, n FROM hit WHERE grp=?1 AND day>=?2 AND day<?3", &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int64(s, 1, group_row);
    (void)sqlite3_bind_int64(s, 2, first);
    (void)sqlite3_bind_int64(s, 3, first + REVIEW_DAYS);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        hits[sqlite3_column_int64(s, 0) - first] = (uint64_t)sqlite3_column_int64(s, 1);
    }
    bool is_read = code == SQLITE_DONE || index_fail(r->db, err);
    (void)sqlite3_finalize(s);
    return is_read;
}
