/* review_store.h - review.db: what the review's lines come to, as tables; and their rows.
 *
 * The file is made of the log's lines alone, as the index is (index/index_store.h), and stands beside it. Tables:
 *
 *     item      one a line that is to be reviewed; `rank` is its priority below zero, so that the queue is (rank, seq)
 *     opinion   who gave which disposition, in order, while the item is as it is
 *     grp       groups of items; hit: their hits a day; grp_agent: their agents
 *     step      which lines of type review changed an item; grp_step: a whole group
 *     standing  how many items there are in each state, by tenant
 *     verdict   how many items were made (disposition 0) and closed with each disposition, by tenant, rule, digest of the
 *               policy, and whether they were samples
 *
 * For the files of this folder and readers. */
#ifndef FILTERD_REVIEW_REVIEW_STORE_H
#define FILTERD_REVIEW_REVIEW_STORE_H

#include "index/index_store.h"
#include "review/item_priority.h"
#include "review/review_candidate.h"

enum { REVIEW_VERSION = 1 };
extern const struct index_schema review_schema;

enum review_word { REVIEW_TENANT, REVIEW_APP, REVIEW_AGENT, REVIEW_RULE, REVIEW_POLICY, REVIEW_DIGEST, REVIEW_WORDS };

struct review_item {
    struct item item;
    int64_t ts_ms, due_ms; /* UTC */
    int64_t group_row;     /* 0: it has no group */
    uint8_t group[REVIEW_GROUP];
    enum review_why why;
    int action;            /* enum index_action */
    unsigned severity, confidence;
    struct item_priority priority;
    char words[REVIEW_WORDS][REVIEW_WORD_MAX + 1];
};

enum review_group_state { REVIEW_GROUP_OPEN, REVIEW_GROUP_CLOSED, REVIEW_GROUP_SNOOZED, REVIEW_GROUP_STATES };
const char *review_group_state_name(unsigned state);

struct review_group {
    int64_t row;
    uint8_t id[REVIEW_GROUP];
    char tenant[REVIEW_WORD_MAX + 1], rule[REVIEW_WORD_MAX + 1];
    uint64_t n, n_open, n_agents; /* hits, whether they became items or not; open items */
    uint64_t first_seq, last_seq;
    int64_t first_ms, last_ms;
    char digest[REVIEW_WORD_MAX + 1]; /* of the policy, at the last hit */
    enum review_group_state state;
    enum item_disposition disposition; /* of a closed one */
    struct review_snooze snooze;       /* `more` counts from 0: the number of hits that ends it */
    char settled_digest[REVIEW_WORD_MAX + 1]; /* of the policy, when it was closed or snoozed */
    uint64_t last;                            /* line of that step; 0: none */
};

/* The columns of a statement, in this order, as a row. */
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
/* Of a statement of `who, said` in order. */
MUST_CHECK bool review_opinions_take(sqlite3 *db, sqlite3_stmt *s, struct item *item, struct error *err);

#endif
