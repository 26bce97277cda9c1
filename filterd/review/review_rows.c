#include "review/review_rows.h"

#include <stdio.h>

enum statement {
    ITEM_GET,
    ITEM_PUT,
    ITEM_SET,
    OPINION_GET,
    OPINION_CLEAR,
    OPINION_PUT,
    GROUP_GET,
    GROUP_PUT,
    GROUP_SET,
    GROUP_OPEN,
    AGENT_PUT,
    HIT_ADD,
    STANDING_ADD,
    VERDICT_ADD,
    QUALITY_ADD,
    PRECISION_GET,
    OF_GROUP,
    OF_LINE,
    STEP_PUT,
    GROUP_STEP_PUT,
    STATEMENTS
};
_Static_assert((int)STATEMENTS <= (int)REVIEW_STATEMENTS, "room for all statements");

static const char *const sql[STATEMENTS] = {
    [ITEM_GET] = "SELECT " REVIEW_ITEM_COLUMNS " FROM item i WHERE i.seq=?1",
    [ITEM_PUT] = "INSERT INTO item VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,1,0,0,'',0,1,0,0,'',0)",
    [ITEM_SET] = "UPDATE item SET is_open=?2, state=?3, disposition=?4, assignee=?5, lease=?6, version=?7, last=?8, last_verb=?9,"
                 " last_by=?10, escalated=?11 WHERE seq=?1",
    [OPINION_GET] = "SELECT who, said FROM opinion WHERE item=?1 ORDER BY n",
    [OPINION_CLEAR] = "DELETE FROM opinion WHERE item=?1",
    [OPINION_PUT] = "INSERT INTO opinion VALUES(?1,?2,?3,?4)",
    [GROUP_GET] = "SELECT " REVIEW_GROUP_COLUMNS " FROM grp WHERE id=?1",
    [GROUP_PUT] = "INSERT INTO grp(id, tenant, rule, n, n_open, n_agents, first_seq, last_seq, first_ts, last_ts, digest, state,"
                  " disposition, until_ts, until_n, until_policy, settled_digest, last)"
                  " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)",
    [GROUP_SET] = "UPDATE grp SET n=?2, n_agents=?3, last_seq=?4, last_ts=?5, digest=?6, state=?7, disposition=?8, until_ts=?9,"
                  " until_n=?10, until_policy=?11, settled_digest=?12, last=?13 WHERE row=?1",
    [GROUP_OPEN] = "UPDATE grp SET n_open=n_open+?2 WHERE row=?1",
    [AGENT_PUT] = "INSERT OR IGNORE INTO grp_agent VALUES(?1,?2)",
    [HIT_ADD] = "INSERT INTO hit VALUES(?1,?2,1) ON CONFLICT DO UPDATE SET n=n+1",
    [STANDING_ADD] = "INSERT INTO standing VALUES(?1,?2,?3) ON CONFLICT DO UPDATE SET n=n+excluded.n",
    [VERDICT_ADD] = "INSERT INTO verdict VALUES(?1,?2,?3,?4,?5,?6) ON CONFLICT DO UPDATE SET n=n+excluded.n",
    [QUALITY_ADD] = "INSERT INTO quality VALUES(?1,?2,?3,?4,?5,?6,?7,?8) ON CONFLICT DO UPDATE SET n=n+excluded.n,"
                    " last=max(last, excluded.last)",
    [PRECISION_GET] = "SELECT coalesce(sum(CASE disposition WHEN 1 THEN n END), 0), coalesce(sum(CASE disposition WHEN 2 THEN n END), 0)"
                      " FROM verdict WHERE tenant=?1 AND rule=?2 AND is_sample=0",
    [OF_GROUP] = "SELECT seq FROM item WHERE grp=?1 AND is_open=1 AND seq>?2 ORDER BY seq LIMIT ?3",
    [OF_LINE] = "SELECT seq FROM item WHERE last=?1 AND seq>?2 AND last!=0 ORDER BY seq LIMIT ?3",
    [STEP_PUT] = "INSERT OR IGNORE INTO step VALUES(?1,?2)",
    [GROUP_STEP_PUT] = "INSERT OR IGNORE INTO grp_step VALUES(?1,?2)",
};

bool review_rows_open(struct review_rows *r, sqlite3 *db, struct error *err)
{
    *r = (struct review_rows){.db = db};
    for (unsigned i = 0; i < STATEMENTS; i++) {
        if (!index_prepare(db, sql[i], &r->statements[i], err)) {
            review_rows_close(r);
            return false;
        }
    }
    return true;
}

void review_rows_close(struct review_rows *r)
{
    for (unsigned i = 0; i < STATEMENTS; i++) {
        (void)sqlite3_finalize(r->statements[i]);
        r->statements[i] = NULL;
    }
}

/* --- binding ------------------------------------------------------------------ */

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
    (void)sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

static void bind_span(sqlite3_stmt *s, int at, struct span text)
{
    (void)sqlite3_bind_text(s, at, text.len == 0 ? "" : text.ptr, (int)text.len, SQLITE_TRANSIENT);
}

/* Numbers from parameter `at` on. */
static void bind_numbers(sqlite3_stmt *s, int at, const int64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        (void)sqlite3_bind_int64(s, at + (int)i, numbers[i]);
    }
}
#define BIND(s, at, ...) bind_numbers(s, at, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static bool run(struct review_rows *r, enum statement which, struct error *err)
{
    return index_run(r->db, r->statements[which], err);
}

/* --- counts ------------------------------------------------------------------- */

static bool add_standing(struct review_rows *r, const char *tenant, enum item_state state, int64_t n, struct error *err)
{
    sqlite3_stmt *s = r->statements[STANDING_ADD];

    bind_text(s, 1, tenant);
    BIND(s, 2, (int64_t)state, n);
    return run(r, STANDING_ADD, err);
}

/* In the tallies samples are apart: random ones, of all rules, and those of one rule, which would bias both its precision and the estimate of
 * misses. */
enum sampled { NO_SAMPLE, RANDOM_SAMPLE, RULE_SAMPLE };

static int64_t sampled(const struct review_item *item)
{
    return item->why == REVIEW_SAMPLE ? RANDOM_SAMPLE : item->why == REVIEW_RULE_SAMPLE ? RULE_SAMPLE : NO_SAMPLE;
}

/* Under ITEM_UNDISPOSED: that it was made. */
static bool add_verdict(struct review_rows *r, const struct review_item *item, enum item_disposition disposition, int64_t n,
                        struct error *err)
{
    sqlite3_stmt *s = r->statements[VERDICT_ADD];

    bind_text(s, 1, item->words[REVIEW_TENANT]);
    bind_text(s, 2, item->words[REVIEW_RULE]);
    bind_text(s, 3, item->words[REVIEW_DIGEST]);
    BIND(s, 4, sampled(item), (int64_t)disposition, n);
    return run(r, VERDICT_ADD, err);
}

/* Of a closed item with a disposition; nothing of another. */
static bool add_quality(struct review_rows *r, const struct review_item *item, const struct item *state, int64_t n, struct error *err)
{
    sqlite3_stmt *s = r->statements[QUALITY_ADD];

    if (item_is_open(state) || state->disposition == ITEM_UNDISPOSED) {
        return true;
    }
    BIND(s, 1, sampled(item));
    bind_text(s, 2, item->why == REVIEW_SAMPLE ? "" : item->words[REVIEW_RULE]);
    BIND(s, 3, review_day(item->ts_ms));
    bind_text(s, 4, item->words[REVIEW_TENANT]);
    bind_text(s, 5, item->words[REVIEW_DIGEST]);
    BIND(s, 6, (int64_t)state->disposition, n, item->ts_ms);
    return run(r, QUALITY_ADD, err);
}

static bool add_open(struct review_rows *r, int64_t group_row, int64_t n, struct error *err)
{
    BIND(r->statements[GROUP_OPEN], 1, group_row, n);
    return group_row == 0 || n == 0 || run(r, GROUP_OPEN, err);
}

bool review_precision_read(struct review_rows *r, struct span tenant, struct span rule, uint64_t *hits, uint64_t *misses,
                           struct error *err)
{
    sqlite3_stmt *s = r->statements[PRECISION_GET];

    bind_span(s, 1, tenant);
    bind_span(s, 2, rule);
    bool is_read = sqlite3_step(s) == SQLITE_ROW || index_fail(r->db, err);
    *hits = is_read ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
    *misses = is_read ? (uint64_t)sqlite3_column_int64(s, 1) : 0;
    (void)sqlite3_reset(s);
    return is_read;
}

/* --- items -------------------------------------------------------------------- */

static bool load_opinions(struct review_rows *r, struct item *item, struct error *err)
{
    BIND(r->statements[OPINION_GET], 1, (int64_t)item->seq);
    return review_opinions_take(r->db, r->statements[OPINION_GET], item, err);
}

bool review_item_load(struct review_rows *r, uint64_t seq, struct review_item *out, bool *is_found, struct error *err)
{
    sqlite3_stmt *s = r->statements[ITEM_GET];

    BIND(s, 1, (int64_t)seq);
    int code = sqlite3_step(s);
    *is_found = code == SQLITE_ROW;
    if (*is_found) {
        review_item_take(s, out);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(r->db, err);
    (void)sqlite3_reset(s);
    return is_read && (!*is_found || load_opinions(r, &out->item, err));
}

bool review_item_insert(struct review_rows *r, const struct review_item *item, struct error *err)
{
    const struct item_priority *p = &item->priority;
    sqlite3_stmt *s = r->statements[ITEM_PUT];

    BIND(s, 1, (int64_t)item->item.seq, item->ts_ms, item->due_ms, item->group_row, (int64_t)item->why, item->action,
         item->severity, item->confidence, p->severity, p->agent, p->novelty, p->uncertainty, p->precision, -(int64_t)p->total);
    if (item->group_row == 0) {
        (void)sqlite3_bind_null(s, 4);
    }
    for (int i = 0; i < REVIEW_WORDS; i++) {
        bind_text(s, 15 + i, item->words[i]);
    }
    BIND(s, 15 + REVIEW_WORDS, item->item.reviewers);
    return run(r, ITEM_PUT, err) && add_standing(r, item->words[REVIEW_TENANT], ITEM_NEW, 1, err) &&
           add_verdict(r, item, ITEM_UNDISPOSED, 1, err) && add_open(r, item->group_row, 1, err);
}

static bool save_opinions(struct review_rows *r, const struct item *item, struct error *err)
{
    sqlite3_stmt *s = r->statements[OPINION_PUT];

    BIND(r->statements[OPINION_CLEAR], 1, (int64_t)item->seq);
    bool is_saved = run(r, OPINION_CLEAR, err);
    for (unsigned i = 0; is_saved && i < item->n_opinions; i++) {
        BIND(s, 1, (int64_t)item->seq, i);
        bind_text(s, 3, item->opinions[i].by);
        BIND(s, 4, (int64_t)item->opinions[i].disposition);
        is_saved = run(r, OPINION_PUT, err);
    }
    return is_saved;
}

static bool save_item(struct review_rows *r, const struct item *item, struct error *err)
{
    sqlite3_stmt *s = r->statements[ITEM_SET];

    BIND(s, 1, (int64_t)item->seq, item_is_open(item), (int64_t)item->state, (int64_t)item->disposition);
    bind_text(s, 5, item->assignee);
    BIND(s, 6, item->lease_until_ms, (int64_t)item->version, (int64_t)item->last, (int64_t)item->last_verb);
    bind_text(s, 10, item->last_by);
    BIND(s, 11, item->is_escalated);
    return run(r, ITEM_SET, err);
}

bool review_item_update(struct review_rows *r, const struct review_item *before, const struct item *after, struct error *err)
{
    const struct item *b = &before->item;
    const char *tenant = before->words[REVIEW_TENANT];

    if (!save_item(r, after, err) || (b->n_opinions != after->n_opinions && !save_opinions(r, after, err))) {
        return false;
    }
    if (b->state != after->state &&
        !(add_standing(r, tenant, b->state, -1, err) && add_standing(r, tenant, after->state, 1, err))) {
        return false;
    }
    if (b->disposition != after->disposition &&
        !((b->disposition == ITEM_UNDISPOSED || add_verdict(r, before, b->disposition, -1, err)) &&
          (after->disposition == ITEM_UNDISPOSED || add_verdict(r, before, after->disposition, 1, err)))) {
        return false;
    }
    bool is_same = b->disposition == after->disposition && item_is_open(b) == item_is_open(after);
    if (!is_same && !(add_quality(r, before, b, -1, err) && add_quality(r, before, after, 1, err))) {
        return false;
    }
    return add_open(r, before->group_row, (int64_t)item_is_open(after) - (int64_t)item_is_open(b), err);
}

static bool take_seqs(struct review_rows *r, enum statement which, int64_t key, uint64_t after, uint64_t *seqs, size_t *n,
                      struct error *err)
{
    sqlite3_stmt *s = r->statements[which];
    int code;

    *n = 0;
    BIND(s, 1, key, (int64_t)after, REVIEW_CHUNK);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        seqs[(*n)++] = (uint64_t)sqlite3_column_int64(s, 0);
    }
    bool is_read = code == SQLITE_DONE || index_fail(r->db, err);
    (void)sqlite3_reset(s);
    return is_read;
}

bool review_items_of_group(struct review_rows *r, int64_t group_row, uint64_t after, uint64_t *seqs, size_t *n, struct error *err)
{
    return take_seqs(r, OF_GROUP, group_row, after, seqs, n, err);
}

bool review_items_of_line(struct review_rows *r, uint64_t last, uint64_t after, uint64_t *seqs, size_t *n, struct error *err)
{
    return take_seqs(r, OF_LINE, (int64_t)last, after, seqs, n, err);
}

/* --- groups ------------------------------------------------------------------- */

bool review_group_load(struct review_rows *r, const uint8_t id[REVIEW_GROUP], struct review_group *out, bool *is_found,
                       struct error *err)
{
    sqlite3_stmt *s = r->statements[GROUP_GET];

    (void)sqlite3_bind_blob(s, 1, id, REVIEW_GROUP, SQLITE_TRANSIENT);
    int code = sqlite3_step(s);
    *is_found = code == SQLITE_ROW;
    if (*is_found) {
        review_group_take(s, out);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(r->db, err);
    (void)sqlite3_reset(s);
    return is_read;
}

static bool insert_group(struct review_rows *r, struct review_group *g, struct error *err)
{
    sqlite3_stmt *s = r->statements[GROUP_PUT];

    (void)sqlite3_bind_blob(s, 1, g->id, REVIEW_GROUP, SQLITE_TRANSIENT);
    bind_text(s, 2, g->tenant);
    bind_text(s, 3, g->rule);
    BIND(s, 4, (int64_t)g->n, (int64_t)g->n_open, (int64_t)g->n_agents, (int64_t)g->first_seq, (int64_t)g->last_seq, g->first_ms,
         g->last_ms);
    bind_text(s, 11, g->digest);
    BIND(s, 12, (int64_t)g->state, (int64_t)g->disposition, g->snooze.until_ms, (int64_t)g->snooze.more, g->snooze.until_policy);
    bind_text(s, 17, g->settled_digest);
    BIND(s, 18, (int64_t)g->last);
    if (!run(r, GROUP_PUT, err)) {
        return false;
    }
    g->row = sqlite3_last_insert_rowid(r->db);
    return true;
}

/* n_open is counted by the items. */
bool review_group_save(struct review_rows *r, struct review_group *g, struct error *err)
{
    sqlite3_stmt *s = r->statements[GROUP_SET];

    if (g->row == 0) {
        return insert_group(r, g, err);
    }
    BIND(s, 1, g->row, (int64_t)g->n, (int64_t)g->n_agents, (int64_t)g->last_seq, g->last_ms);
    bind_text(s, 6, g->digest);
    BIND(s, 7, (int64_t)g->state, (int64_t)g->disposition, g->snooze.until_ms, (int64_t)g->snooze.more, g->snooze.until_policy);
    bind_text(s, 12, g->settled_digest);
    BIND(s, 13, (int64_t)g->last);
    return run(r, GROUP_SET, err);
}

bool review_group_hit(struct review_rows *r, struct review_group *g, struct span agent, int64_t ts_ms, struct error *err)
{
    sqlite3_stmt *s = r->statements[AGENT_PUT];

    BIND(s, 1, g->row);
    bind_span(s, 2, agent);
    if (agent.len > 0 && !run(r, AGENT_PUT, err)) {
        return false;
    }
    g->n_agents += agent.len > 0 ? (uint64_t)sqlite3_changes(r->db) : 0;
    BIND(r->statements[HIT_ADD], 1, g->row, ts_ms / 86400000);
    return run(r, HIT_ADD, err);
}

/* --- history ------------------------------------------------------------------ */

bool review_step_add(struct review_rows *r, uint64_t item, uint64_t seq, struct error *err)
{
    BIND(r->statements[STEP_PUT], 1, (int64_t)item, (int64_t)seq);
    return run(r, STEP_PUT, err);
}

bool review_group_step_add(struct review_rows *r, int64_t group_row, uint64_t seq, struct error *err)
{
    BIND(r->statements[GROUP_STEP_PUT], 1, group_row, (int64_t)seq);
    return run(r, GROUP_STEP_PUT, err);
}
