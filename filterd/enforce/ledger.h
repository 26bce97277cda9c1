/* ledger.h - the running account of each agent: what counts against it, decaying, and its state.
 *
 * An account is one agent of one tenant: two tenants may have agents of the same name. A score halves
 * with each half-life, exactly and as a function of the given times alone; a clock set back counts
 * as standing still. Agents without a violation need no account, so the table fills only with those
 * that have one. All memory is taken when the ledger is made: `max` accounts.
 *
 * Callers choose the names, so a caller that invents names must not displace the accounts of others: one caller has at most
 * three quarters of the table. Where there is no room, an account that is forgotten (active, below LEDGER_FORGOTTEN) makes some;
 * else, of the caller that has the most, or has its share, the weakest active one: whose score is the lowest. One that is
 * throttled or worse is never given up. When no account can make room, a new agent's violation cannot be counted, and the
 * caller must block.
 *
 * In a fleet an agent's score is this node's part and the sum of the others' as it was last learned (ledger_learn): both halve
 * alike, so the sum is what one node would have counted. Only the part is stored, and shared with the others.
 *
 * States hold until an operator revives the agent, but for throttled, which ends with the score that
 * caused it. Times are UTC nanoseconds. Every function: any thread. */
#ifndef FILTERD_ENFORCE_LEDGER_H
#define FILTERD_ENFORCE_LEDGER_H

#include "policy/violations.h"

enum { LEDGER_NAME_MAX = 256, LEDGER_MAX_DEFAULT = 10000 };

#define LEDGER_FORGOTTEN 0.005 /* a score that is shown as 0.0 */

/* Strictest first: a zeroed account is barred. */
enum agent_state { AGENT_REVOKED, AGENT_KILLED, AGENT_FROZEN, AGENT_CUT, AGENT_THROTTLED, AGENT_ACTIVE };
const char *agent_state_name(enum agent_state state);
/* Nothing of such an agent is judged any more: frozen, killed, revoked. */
bool agent_state_is_stopped(enum agent_state state);

struct agent_key {
    struct span tenant, agent; /* borrowed; at most LEDGER_NAME_MAX bytes each */
};

/* A copy of what is known of one agent. */
struct agent_account {
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1]; /* NUL-terminated */
    enum agent_state state;
    double score;      /* at the time that was asked for */
    unsigned standing; /* bits of enum reaction that hold until a revival */
    int64_t asked_ns;  /* when an operator was asked; 0: no question is open */
    int64_t first_ns, last_ns;
    uint32_t counts[VIOLATION_COUNT];
    uint64_t order; /* of the fleet: newest that the account is behind; of an older one it knows nothing that counts */
    uint32_t slot;  /* of the table, for the store */
    bool is_used;   /* false: the slot is empty now; only in what ledger_take_changed gives */
};

/* A score as it is shown, and as thresholds see it: rounded to tenths. */
double ledger_shown(double score);

struct ledger;

/* NULL with NO_MEMORY. */
struct ledger *ledger_new(uint32_t max, struct error *err);
void ledger_free(struct ledger *l);

struct ledger_event {
    const struct agent_key *key;
    unsigned kinds; /* bits of 1 << enum violation: one of each */
    int64_t now_ns;
    unsigned caller; /* of identity: whose share of the table a new account takes */
};
/* Counts it. `after` gets the account after it, *due the reactions whose thresholds were crossed by it. LIMIT when the
 * table is full: nothing was counted. */
MUST_CHECK bool ledger_add(struct ledger *l, const struct violations *v, const struct ledger_event *event,
                           struct agent_account *after, unsigned *due, struct error *err);
/* Never fails: an agent without an account is active, with 0. False: there is none. */
bool ledger_look(struct ledger *l, const struct violations *v, const struct agent_key *key, int64_t now_ns,
                 struct agent_account *out);
/* May it send something now? Of a throttled agent one exchange in each interval: false, and *wait_ns until the next.
 * True for every other state; the caller looks at it. */
bool ledger_admit(struct ledger *l, const struct violations *v, const struct agent_key *key, int64_t now_ns,
                  struct agent_account *out, int64_t *wait_ns);

/* Such an event could be written down now. */
bool ledger_has_room(struct ledger *l, const struct violations *v, const struct ledger_event *event);

/* Applies the reactions that an operator ordered; creates the account when there is none. */
MUST_CHECK bool ledger_stand(struct ledger *l, const struct agent_key *key, unsigned reactions, int64_t now_ns,
                             struct agent_account *out, struct error *err);
/* Everything is forgotten and forgiven. False: there is no such account. */
bool ledger_revive(struct ledger *l, const struct agent_key *key, int64_t now_ns, struct agent_account *before);
/* The question is answered: the agent goes on, its score stays. */
bool ledger_resume(struct ledger *l, const struct agent_key *key, int64_t now_ns, struct agent_account *out);
/* The next agent whose question was not answered in time; the question is closed. */
bool ledger_next_unanswered(struct ledger *l, const struct violations *v, int64_t now_ns, struct agent_account *out);

/* Walks the table: the first account in slot `from` or later. False at the end. */
bool ledger_at(struct ledger *l, const struct violations *v, uint32_t from, int64_t now_ns, struct agent_account *out);
uint32_t ledger_count(struct ledger *l);
uint64_t ledger_overflows(struct ledger *l);
/* Accounts that were given up for others, not forgotten ones among them. */
uint64_t ledger_displaced(struct ledger *l);

/* What the other nodes count of an agent, all together, at that time. Without an account it is ignored: false. `after` and *due
 * as of ledger_add: a threshold may be crossed by it. */
bool ledger_learn(struct ledger *l, const struct violations *v, const struct agent_key *key, double others, int64_t now_ns,
                  struct agent_account *after, unsigned *due);
/* The orders of the fleet up to this one were carried out: accounts that are made from now on are behind it. */
void ledger_set_order(struct ledger *l, uint64_t order);
uint64_t ledger_order(struct ledger *l);
/* The account of that agent is behind this order; it stays so when it was behind a later one. */
void ledger_confirm(struct ledger *l, const struct agent_key *key, uint64_t order);

/* Observers of changes, independent of each other: the store of accounts, and the sharing with other nodes. */
enum ledger_reader { LEDGER_STORE, LEDGER_FLEET, LEDGER_READERS };
/* One account or emptied slot that changed since that reader last took it. Its score is this node's part, as of last_ns. */
bool ledger_take_changed(struct ledger *l, enum ledger_reader reader, struct agent_account *out);
/* It could not be used: it is given again. */
void ledger_give_back(struct ledger *l, enum ledger_reader reader, uint32_t slot);
/* All accounts are given to that reader. */
void ledger_give_all(struct ledger *l, enum ledger_reader reader);
/* Before any other use: an account as it was stored, score of last_ns. Its slot may be another now: it counts as
 * changed. */
MUST_CHECK bool ledger_restore(struct ledger *l, const struct agent_account *a, struct error *err);

#endif
