#include "review/review_store.h"

#include <stdio.h>

#include "review/exceptions.h"
#include "review/reveals.h"

_Static_assert(REVIEW_SAMPLE == 5 && REVIEW_RULE_SAMPLE == 6, "item_blind, item_rule_sample");

static const char items[] =
    "CREATE TABLE item(seq INTEGER PRIMARY KEY, ts INTEGER NOT NULL, due INTEGER NOT NULL, grp INTEGER, why INTEGER NOT NULL,"
    " action INTEGER NOT NULL, severity INTEGER NOT NULL, confidence INTEGER NOT NULL, p_severity INTEGER NOT NULL,"
    " p_agent INTEGER NOT NULL, p_novelty INTEGER NOT NULL, p_uncertainty INTEGER NOT NULL, p_precision INTEGER NOT NULL,"
    " rank INTEGER NOT NULL, tenant TEXT NOT NULL, app TEXT NOT NULL, agent TEXT NOT NULL, rule TEXT NOT NULL,"
    " policy TEXT NOT NULL, digest TEXT NOT NULL, reviewers INTEGER NOT NULL, is_open INTEGER NOT NULL, state INTEGER NOT NULL,"
    " disposition INTEGER NOT NULL, assignee TEXT NOT NULL, lease INTEGER NOT NULL, version INTEGER NOT NULL,"
    " last INTEGER NOT NULL, last_verb INTEGER NOT NULL, last_by TEXT NOT NULL, escalated INTEGER NOT NULL);"
    "CREATE INDEX item_group ON item(grp, is_open, seq) WHERE grp IS NOT NULL;" /* these two the fold itself needs */
    "CREATE INDEX item_last ON item(last, seq) WHERE last != 0;"
    "CREATE TABLE opinion(item INTEGER NOT NULL, n INTEGER NOT NULL, who TEXT NOT NULL, said INTEGER NOT NULL,"
    " PRIMARY KEY(item, n)) WITHOUT ROWID;"
    "CREATE TABLE step(item INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(item, seq)) WITHOUT ROWID;"
    "CREATE TABLE ordered(id TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE standing(tenant TEXT NOT NULL, state INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(tenant, state)) WITHOUT ROWID;"
    "CREATE TABLE verdict(tenant TEXT NOT NULL, rule TEXT NOT NULL, digest TEXT NOT NULL, is_sample INTEGER NOT NULL,"
    " disposition INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(tenant, rule, digest, is_sample, disposition)) WITHOUT ROWID;"
    "CREATE TABLE quality(is_sample INTEGER NOT NULL, rule TEXT NOT NULL, day INTEGER NOT NULL, tenant TEXT NOT NULL,"
    " digest TEXT NOT NULL, disposition INTEGER NOT NULL, n INTEGER NOT NULL, last INTEGER NOT NULL,"
    " PRIMARY KEY(is_sample, rule, day, tenant, digest, disposition)) WITHOUT ROWID;";

static const char groups[] =
    "CREATE TABLE grp(row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, tenant TEXT NOT NULL, rule TEXT NOT NULL,"
    " n INTEGER NOT NULL, n_open INTEGER NOT NULL, n_agents INTEGER NOT NULL, first_seq INTEGER NOT NULL,"
    " last_seq INTEGER NOT NULL, first_ts INTEGER NOT NULL, last_ts INTEGER NOT NULL, digest TEXT NOT NULL,"
    " state INTEGER NOT NULL, disposition INTEGER NOT NULL, until_ts INTEGER NOT NULL, until_n INTEGER NOT NULL,"
    " until_policy INTEGER NOT NULL, settled_digest TEXT NOT NULL, last INTEGER NOT NULL);"
    "CREATE TABLE grp_agent(grp INTEGER NOT NULL, agent TEXT NOT NULL, PRIMARY KEY(grp, agent)) WITHOUT ROWID;"
    "CREATE TABLE grp_step(grp INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(grp, seq)) WITHOUT ROWID;"
    "CREATE TABLE hit(grp INTEGER NOT NULL, day INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(grp, day)) WITHOUT ROWID;";

static const char indexes[] =
    "CREATE INDEX item_queue ON item(is_open, rank, seq);"
    "CREATE INDEX item_tenant ON item(tenant, is_open, rank, seq);"
    "CREATE INDEX item_rule ON item(rule, is_open, rank, seq);"
    "CREATE INDEX item_both ON item(tenant, rule, is_open, rank, seq);"
    "CREATE INDEX item_claimed ON item(rank, seq) WHERE state = 1;"
    "CREATE INDEX item_blind ON item(is_open, rank, seq) WHERE why = 5;"
    "CREATE INDEX item_rule_sample ON item(is_open, rank, seq) WHERE why = 6;"
    "CREATE INDEX item_assignee ON item(assignee, is_open, rank, seq) WHERE assignee != '';"
    "CREATE INDEX item_quality ON item(rule, ts, tenant, digest, why, disposition, is_open) WHERE is_open = 0;"
    "CREATE INDEX item_sample ON item(why, ts, tenant, disposition, is_open) WHERE is_open = 0 AND why = 5;"
    "CREATE INDEX item_due ON item(due) WHERE is_open = 1;"
    "CREATE INDEX item_tenant_due ON item(tenant, due) WHERE is_open = 1;"
    "CREATE INDEX item_age ON item(tenant, seq) WHERE is_open = 1;"
    "CREATE INDEX opinion_second ON opinion(n, item) WHERE n > 0;"
    "CREATE INDEX grp_last ON grp(last_seq);"
    "CREATE INDEX grp_tenant ON grp(tenant, last_seq);";

static const char *const tables[] = {items, groups, exceptions_tables, reveals_tables, NULL};
const struct index_schema review_schema = {REVIEW_VERSION, tables, indexes};

const char *review_group_state_name(unsigned state)
{
    static const char *const names[REVIEW_GROUP_STATES] = {"open", "closed", "snoozed"};

    return state < REVIEW_GROUP_STATES ? names[state] : "";
}

static void take_text(sqlite3_stmt *s, int column, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(s, column);

    (void)snprintf(out, size, "%s", text == NULL ? "" : (const char *)text);
}

static unsigned take_unsigned(sqlite3_stmt *s, int column)
{
    return (unsigned)sqlite3_column_int(s, column);
}

static uint64_t take_number(sqlite3_stmt *s, int column)
{
    return (uint64_t)sqlite3_column_int64(s, column);
}

static void take_id(sqlite3_stmt *s, int column, uint8_t id[REVIEW_GROUP])
{
    memset(id, 0, REVIEW_GROUP);
    if (sqlite3_column_bytes(s, column) == REVIEW_GROUP) {
        memcpy(id, sqlite3_column_blob(s, column), REVIEW_GROUP);
    }
}

static void take_priority(sqlite3_stmt *s, int column, struct item_priority *p)
{
    *p = (struct item_priority){
        .severity = take_unsigned(s, column),
        .agent = take_unsigned(s, column + 1),
        .novelty = take_unsigned(s, column + 2),
        .uncertainty = take_unsigned(s, column + 3),
        .precision = take_unsigned(s, column + 4),
    };
    p->total = p->severity + p->agent + p->novelty + p->uncertainty + p->precision;
}

static void take_state(sqlite3_stmt *s, int column, struct item *item)
{
    item->reviewers = take_unsigned(s, column);
    item->state = (enum item_state)take_unsigned(s, column + 1);
    item->disposition = (enum item_disposition)take_unsigned(s, column + 2);
    take_text(s, column + 3, item->assignee, sizeof(item->assignee));
    item->lease_until_ms = sqlite3_column_int64(s, column + 4);
    item->version = take_number(s, column + 5);
    item->last = take_number(s, column + 6);
    item->last_verb = (enum item_verb)take_unsigned(s, column + 7);
    take_text(s, column + 8, item->last_by, sizeof(item->last_by));
    item->is_escalated = sqlite3_column_int(s, column + 9) != 0;
}

enum { PRIORITY_COLUMN = 8, WORDS_COLUMN = 13, STATE_COLUMN = 19, ID_COLUMN = 29 };

void review_item_take(sqlite3_stmt *s, struct review_item *out)
{
    *out = (struct review_item){.item = {.seq = take_number(s, 0)},
                                .ts_ms = sqlite3_column_int64(s, 1),
                                .due_ms = sqlite3_column_int64(s, 2),
                                .group_row = sqlite3_column_int64(s, 3),
                                .why = (enum review_why)take_unsigned(s, 4),
                                .action = sqlite3_column_int(s, 5),
                                .severity = take_unsigned(s, 6),
                                .confidence = take_unsigned(s, 7)};
    take_priority(s, PRIORITY_COLUMN, &out->priority);
    for (int i = 0; i < REVIEW_WORDS; i++) {
        take_text(s, WORDS_COLUMN + i, out->words[i], sizeof(out->words[i]));
    }
    take_state(s, STATE_COLUMN, &out->item);
    take_id(s, ID_COLUMN, out->group);
}

void review_group_take(sqlite3_stmt *s, struct review_group *out)
{
    *out = (struct review_group){.row = sqlite3_column_int64(s, 0),
                                 .n = take_number(s, 4),
                                 .n_open = take_number(s, 5),
                                 .n_agents = take_number(s, 6),
                                 .first_seq = take_number(s, 7),
                                 .last_seq = take_number(s, 8),
                                 .first_ms = sqlite3_column_int64(s, 9),
                                 .last_ms = sqlite3_column_int64(s, 10),
                                 .state = (enum review_group_state)take_unsigned(s, 12),
                                 .disposition = (enum item_disposition)take_unsigned(s, 13),
                                 .snooze = {sqlite3_column_int64(s, 14), take_number(s, 15), sqlite3_column_int(s, 16) != 0},
                                 .last = take_number(s, 18)};
    take_id(s, 1, out->id);
    take_text(s, 2, out->tenant, sizeof(out->tenant));
    take_text(s, 3, out->rule, sizeof(out->rule));
    take_text(s, 11, out->digest, sizeof(out->digest));
    take_text(s, 17, out->settled_digest, sizeof(out->settled_digest));
}

bool review_opinions_take(sqlite3 *db, sqlite3_stmt *s, struct item *item, struct error *err)
{
    int code;

    item->n_opinions = 0;
    while ((code = sqlite3_step(s)) == SQLITE_ROW && item->n_opinions < ITEM_OPINIONS_MAX) {
        struct item_opinion *o = &item->opinions[item->n_opinions++];
        take_text(s, 0, o->by, sizeof(o->by));
        o->disposition = (enum item_disposition)take_unsigned(s, 1);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(db, err);
    (void)sqlite3_reset(s);
    return is_read;
}
