/* agents.h - from what an agent does to what is done about it: the ledger, the killer and the record together.
 *
 * A violation is counted; a threshold that it crosses is put on record and becomes an order to the
 * killer at once: neither waits for the other. Made by the main thread; every function but
 * open, start and close: any thread. */
#ifndef FILTERD_ENFORCE_AGENTS_H
#define FILTERD_ENFORCE_AGENTS_H

#include <stdatomic.h>

#include "enforce/agent_record.h"
#include "enforce/helper.h"
#include "enforce/ledger_store.h"

struct agents {
    struct ledger *ledger;
    struct ledger_store *store; /* NULL: accounts end with the process */
    struct killer *killer;
    const struct helper *helper; /* borrowed; runs the hooks; NULL: there are none */
    struct decision_log *log; /* borrowed */
    _Atomic uint64_t reactions[REACTION_KINDS]; /* done, by policy or operator */
    _Atomic uint64_t stopped, throttled;        /* exchanges not judged because of the agent's state */
    _Atomic uint64_t unrecorded;                /* events that found no room in the record */
    _Atomic uint64_t kills, kill_failures;      /* of agents: seen to be over; not seen */
    _Atomic uint64_t self_tests, self_test_failures, self_test_us;
    atomic_bool can_kill;                       /* the last self-test passed */
};

struct agents_options {
    const struct helper *helper; /* NULL: no hooks are run */
    const char *state_directory; /* NULL: accounts are not kept */
    uint32_t accounts;
    unsigned places;
};

MUST_CHECK bool agents_open(struct agents *a, const struct agents_options *options, struct decision_log *log,
                            struct error *err);
MUST_CHECK bool agents_start(struct agents *a, struct error *err);
/* Accepts what agents_open left, or zero. */
void agents_close(struct agents *a);

/* --- exchanges --- */

/* Strictest first. */
enum agents_answer {
    AGENTS_STOPPED, /* nothing of it is judged; account->state says why */
    AGENTS_WAIT,    /* throttled: *wait_ns */
    AGENTS_MAY,
};
enum agents_answer agents_admit(struct agents *a, const struct violations *v, const struct agent_key *key,
                                int64_t now_ns, struct agent_account *account, int64_t *wait_ns);
/* The rule that blocks exchanges of a stopped agent: static. */
const char *agents_rule(enum agent_state state);

/* Bits of the kinds that a judged exchange adds; 0: it is in order. */
unsigned agents_kinds(const struct exchange *x);
/* Counts them and reacts. LIMIT: the ledger is full and could not take it. */
MUST_CHECK bool agents_count(struct agents *a, const struct violations *v, const struct exchange *x,
                             struct agent_account *account, struct error *err);

/* --- events from elsewhere --- */

/* Who says it, and why. */
struct agents_cause {
    const char *by; /* static word */
    struct span why;
    int64_t now_ns;
};

/* One event of a jail, its way out or whoever else watches the agent. */
MUST_CHECK bool agents_report(struct agents *a, const struct violations *v, const struct agent_key *key,
                              enum violation kind, const struct agents_cause *cause, struct error *err);
/* Somebody's decision. */
MUST_CHECK bool agents_react(struct agents *a, const struct agent_key *key, enum reaction reaction,
                             const struct agents_cause *cause, struct error *err);
/* False: there is no such account. */
bool agents_revive(struct agents *a, const struct agent_key *key, const char *by, int64_t now_ns);
/* Takes up questions that nobody answered; how many. */
unsigned agents_settle_questions(struct agents *a, const struct violations *v, int64_t now_ns);
/* Any other event; one that finds no room is counted. */
void agents_record(struct agents *a, const struct agent_event *e);

#endif
