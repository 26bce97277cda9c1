/* killer.h - kills agents with dedicated threads, which hold every descriptor open and allocate nothing.
 *
 * A slot holds the descriptors by which one jail (or process) can be killed; it takes them when the jail registers. An
 * order names an agent or a slot; the first free thread executes it with the escalation steps of jail/kill: lift the
 * quota, forbid new processes, write cgroup.kill, send SIGKILL to init, and check until no process is left. A kill that
 * could not be verified is reported at once and retried until it is. Threads, stacks and slots are allocated and locked
 * in memory before any order; an order wakes a thread and copies nothing. Every function may be called by any thread. */
#ifndef FILTERD_ENFORCE_KILLER_H
#define FILTERD_ENFORCE_KILLER_H

#include "enforce/ledger.h"
#include "jail/kill/kill.h"

enum { KILLER_THREADS = 4, KILLER_SLOTS_DEFAULT = 512, KILLER_WHY_MAX = 120 };

enum kill_order { /* bits; several at once are done in this order */
    ORDER_CUT = 1,
    ORDER_FREEZE = 2,
    ORDER_THAW = 4,
    ORDER_KILL = 8,
};

/* The outcome of one or more orders. */
struct kill_outcome {
    int slot;
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
    char why[KILLER_WHY_MAX];     /* of the order that came last */
    unsigned orders;              /* that were carried out */
    unsigned failed;              /* of them, those that this machine or the jail cannot execute */
    struct jail_kill_report kill; /* of ORDER_KILL */
    unsigned tries;               /* of it, this one included */
    int64_t since_order_us;       /* from the order to the end of its execution */
};

struct killer_health {
    uint64_t kills, unverified; /* verified; attempts that left a process */
    unsigned slots, used;
    bool is_locked; /* in memory */
};

struct killer;

/* NULL with err. */
struct killer *killer_new(unsigned slots, struct error *err);
MUST_CHECK bool killer_start(struct killer *k, struct error *err);
/* Drops queued orders. Accepts NULL. */
void killer_free(struct killer *k);

/* Takes ownership of the target's descriptors and of `cut` (-1: none). Returns the slot, or -1 when all are in use; then
 * the caller keeps the descriptors. An agent may have several slots. */
int killer_add(struct killer *k, const struct agent_key *key, const struct jail_kill_target *t, int cut);
/* Closes the descriptors. False while an order is queued or its outcome was not taken: call it again later. */
MUST_CHECK bool killer_remove(struct killer *k, int slot);

/* True when no process of it is left. */
bool killer_is_over(struct killer *k, int slot);

/* Orders for all slots of that agent; returns their number. `why` is copied. */
unsigned killer_order(struct killer *k, const struct agent_key *key, unsigned orders, const char *why);
void killer_order_slot(struct killer *k, int slot, unsigned orders, const char *why);
/* The number of the agent's slots that are not known to be over. */
unsigned killer_count(struct killer *k, const struct agent_key *key);
/* Iterates over those slots: returns the first at `from` or later, with its names; -1 at the end. */
int killer_at(struct killer *k, int from, char tenant[LEDGER_NAME_MAX + 1], char agent[LEDGER_NAME_MAX + 1]);

/* Readable when there is an outcome, or an order. */
int killer_event(const struct killer *k);
/* The next outcome; false when there is none. Called by one thread only. */
bool killer_next(struct killer *k, struct kill_outcome *out);
/* After killer_next returned false: a slot whose kill was ordered, and why, once for each slot. The caller notifies the
 * jail's launcher, which kills in parallel (jail/kill/members.h). Called by the same thread. */
bool killer_next_ordered(struct killer *k, int *slot, char why[KILLER_WHY_MAX]);

void killer_health(struct killer *k, struct killer_health *out);

#endif
