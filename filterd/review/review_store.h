/* review_store.h - the tables of review.db and their rows.
 *
 * The file is built from the log's lines alone, and is next to the index (index/index_store.h). Tables:
 *
 *     item      one row per item; `rank` is the negated priority, so that the queue is ordered by (rank, seq)
 *     opinion   the dispositions that count for the item's current state, in order, with their persons
 *     grp       groups of items; hit: hits per day; grp_agent: agents
 *     step      the lines of type review that changed an item; grp_step: a whole group
 *     standing  number of items per state and tenant
 *     ordered   lines that carried out orders of review consoles, by the id of the order
 *     verdict   number of items created (disposition 0) and closed with each disposition, per tenant, rule, digest of the
 *               policy, and sample or not
 *     quality   number of items closed with a disposition, per rule ('' for samples, of all rules), UTC day of the line, tenant,
 *               digest; `last` is the time of the newest one that was counted
 *
 * Internal to this folder, and for readers. */
#ifndef FILTERD_REVIEW_REVIEW_STORE_H
#define FILTERD_REVIEW_REVIEW_STORE_H

#include "index/index_store.h"
#include "review/item_priority.h"
#include "review/review_candidate.h"

enum { REVIEW_VERSION = 4, REVIEW_DAY_MS = 24 * 3600 * 1000 };
extern const struct index_schema review_schema;

enum review_word { REVIEW_TENANT, REVIEW_APP, REVIEW_AGENT, REVIEW_RULE, REVIEW_POLICY, REVIEW_DIGEST, REVIEW_WORDS };

struct review_item {
    struct item item;
    int64_t ts_ms, due_ms; /* UTC */
    int64_t group_row;     /* 0: no group */
    uint8_t group[REVIEW_GROUP];
    enum review_why why;
    int action;            /* enum index_action */
    unsigned severity, confidence;
    struct item_priority priority;
    char words[REVIEW_WORDS][REVIEW_WORD_MAX + 1];
};

enum review_group_state { REVIEW_GROUP_OPEN, REVIEW_GROUP_CLOSED, REVIEW_GROUP_SNOOZED, REVIEW_GROUP_STATES };
const char *review_group_state_name(unsigned state);

/* The UTC day of a time, counted from 1970. */
static inline int64_t review_day(int64_t ts_ms)
{
    return ts_ms / REVIEW_DAY_MS - (ts_ms % REVIEW_DAY_MS < 0);
}

struct review_group {
    int64_t row;
    uint8_t id[REVIEW_GROUP];
    char tenant[REVIEW_WORD_MAX + 1], rule[REVIEW_WORD_MAX + 1];
    uint64_t n, n_open, n_agents; /* n: hits, including those that opened no item */
    uint64_t first_seq, last_seq;
    int64_t first_ms, last_ms;
    char digest[REVIEW_WORD_MAX + 1]; /* of the policy, at the last hit */
    enum review_group_state state;
    enum item_disposition disposition; /* of a closed group */
    struct review_snooze snooze;       /* `more`: the value of n at which it ends */
    char settled_digest[REVIEW_WORD_MAX + 1]; /* of the policy when it was closed or snoozed */
    uint64_t last;                            /* line of that step; 0: none */
};

/* Columns that review_item_take and review_group_take expect, in this order. */
#define REVIEW_ITEM_COLUMNS                                                                                                \
    "i.seq, i.ts, i.due, i.grp, i.why, i.action, i.severity, i.confidence, i.p_severity, i.p_agent, i.p_novelty,"          \
    " i.p_uncertainty, i.p_precision, i.tenant, i.app, i.agent, i.rule, i.policy, i.digest, i.reviewers, i.state,"         \
    " i.disposition, i.assignee, i.lease, i.version, i.last, i.last_verb, i.last_by, i.escalated,"                         \
    " (SELECT id FROM grp g WHERE g.row=i.grp)"
#define REVIEW_GROUP_COLUMNS                                                                                               \
    "row, id, tenant, rule, n, n_open, n_agents, first_seq, last_seq, first_ts, last_ts, digest, state, disposition,"      \
    " until_ts, until_n, until_policy, settled_digest, last"
void review_item_take(sqlite3_stmt *s, struct review_item *out); /* without opinions */
void review_group_take(sqlite3_stmt *s, struct review_group *out);
/* From a statement that returns the columns `who, said` in order. */
MUST_CHECK bool review_opinions_take(sqlite3 *db, sqlite3_stmt *s, struct item *item, struct error *err);

#endif
