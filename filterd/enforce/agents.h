/* agents.h - reacts to the violations of agents: connects the ledger, the killer and the record.
 *
 * A violation is counted. When the score crosses a threshold, the reaction is recorded and ordered from the killer at
 * once: neither waits for the other. The main thread calls open, start and close; any thread may call the rest. */
#ifndef FILTERD_ENFORCE_AGENTS_H
#define FILTERD_ENFORCE_AGENTS_H

#include <stdatomic.h>

#include "enforce/agent_record.h"
#include "enforce/helper.h"
#include "enforce/ledger_store.h"

/* Callbacks into the fleet (fleet/fleet.h); all NULL without one. Called from any thread; none of them blocks. */
struct agents_fleet {
    void *context;
    /* An account has changed. */
    void (*wake)(void *context);
    /* This node has done this for that. True: agents_record_reaction follows once it is known whether another node has, too. */
    bool (*claim)(void *context, unsigned reaction, const struct agent_event *cause);
    void (*lift)(void *context, bool is_revival, const struct agent_event *cause);
};

struct agents {
    struct ledger *ledger;
    struct ledger_store *store; /* NULL: accounts end with the process */
    struct killer *killer;
    const struct helper *helper; /* borrowed; runs the hooks; NULL: there are none */
    /* Says of an event whether it is to be reviewed; NULL: none is. Set before the first. */
    struct review_mark (*review)(void *context, const struct agent_event *e);
    void *review_context;
    struct agents_fleet fleet; /* set before the first event */
    struct decision_log *log; /* borrowed */
    _Atomic uint64_t reactions[REACTION_KINDS]; /* done, by policy or operator */
    _Atomic uint64_t stopped, throttled;        /* exchanges not judged because of the agent's state */
    _Atomic uint64_t unrecorded;                /* events lost because the queue of the record was full */
    _Atomic uint64_t kills, kill_failures;      /* of agents: verified; not verified */
    _Atomic uint64_t self_tests, self_test_failures, self_test_us;
    atomic_bool can_kill;                       /* the last self-test passed */
};

struct agents_options {
    const struct helper *helper; /* NULL: no hooks are run */
    const char *state_directory; /* NULL: accounts are not kept */
    bool has_history;            /* the record has lines: accounts are expected to be there */
    uint32_t accounts;
    unsigned slots; /* of the killer */
};

MUST_CHECK bool agents_open(struct agents *a, const struct agents_options *options, struct decision_log *log,
                            struct error *err);
MUST_CHECK bool agents_start(struct agents *a, struct error *err);
/* Accepts a zeroed struct, and what a failed agents_open left. */
void agents_close(struct agents *a);

/* --- exchanges --- */

/* Strictest first. */
enum agents_answer {
    AGENTS_STOPPED, /* do not judge it; account->state says why */
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

/* Who reported it, and why. */
struct agents_cause {
    const char *by; /* static word */
    struct span why;
    int64_t now_ns;
};

/* Counts one violation that a jail, its egress proxy or another reporter saw. */
MUST_CHECK bool agents_report(struct agents *a, const struct violations *v, const struct agent_key *key,
                              enum violation kind, const struct agents_cause *cause, struct error *err);
/* Applies the decision of an operator. */
MUST_CHECK bool agents_react(struct agents *a, const struct agent_key *key, enum reaction reaction,
                             const struct agents_cause *cause, struct error *err);
/* False: there is no such account. */
bool agents_revive(struct agents *a, const struct agent_key *key, const struct agents_cause *cause);
/* Applies the default to questions that no operator answered in time; returns their number. */
unsigned agents_settle_questions(struct agents *a, const struct violations *v, int64_t now_ns);
/* --- the fleet --- */

/* The sum of the other nodes at that time; reacts to what it crosses. */
void agents_learn(struct agents *a, const struct violations *v, const struct agent_key *key, double others, int64_t now_ns);
/* Does what another node, or this one, has ordered. The line is written unless it stands here already. */
void agents_follow(struct agents *a, enum reaction reaction, const struct agent_event *order);
/* Likewise; an account that is behind a later order, or was made after `ordered_ns`, stays as it is. */
void agents_follow_lift(struct agents *a, bool is_revival, int64_t ordered_ns, const struct agent_event *order);
/* The line of one reaction to `cause`, and its count. */
void agents_record_reaction(struct agents *a, unsigned reaction, const struct agent_event *cause);

/* Records any other event; counts it as unrecorded when the queue is full. */
void agents_record(struct agents *a, const struct agent_event *e);

#endif
