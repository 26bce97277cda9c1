/* killer.h - ends agents by hands of its own: threads that wait with everything open, and allocate nothing.
 *
 * A place holds the descriptors by which one jail (or process) can be ended; they are taken when it
 * registers. An order names an agent or a place; the first free thread carries it out by the ladder
 * of jail/kill: lifts the quota, forbids new processes, cgroup.kill, SIGKILL to the first process,
 * looks until nothing is left. A kill that could not be seen to succeed is said so at once and tried
 * again, until it is. Threads, stacks and places are made and locked in memory before any order;
 * an order wakes a thread and copies nothing. Every function: any thread. */
#ifndef FILTERD_ENFORCE_KILLER_H
#define FILTERD_ENFORCE_KILLER_H

#include "enforce/ledger.h"
#include "jail/kill/kill.h"

enum { KILLER_THREADS = 4, KILLER_PLACES_DEFAULT = 512, KILLER_WHY_MAX = 120 };

enum kill_order { /* bits; several at once are done in this order */
    ORDER_CUT = 1,
    ORDER_FREEZE = 2,
    ORDER_THAW = 4,
    ORDER_KILL = 8,
};

/* What became of orders. */
struct kill_outcome {
    int place;
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
    char why[KILLER_WHY_MAX];     /* of the order that came last */
    unsigned orders;              /* that were carried out */
    unsigned failed;              /* of them, those that could not be: the machine has no way */
    struct jail_kill_report kill; /* of ORDER_KILL */
    unsigned tries;               /* of it, this one included */
    int64_t since_order_us;       /* from the order to the end of its carrying out */
};

struct killer_health {
    uint64_t kills, unverified; /* seen to be over; tries after which something was left */
    unsigned places, used;
    bool is_locked; /* in memory */
};

struct killer;

/* NULL with err. */
struct killer *killer_new(unsigned places, struct error *err);
MUST_CHECK bool killer_start(struct killer *k, struct error *err);
/* Orders that wait are not carried out any more. NULL is fine. */
void killer_free(struct killer *k);

/* Takes over the target's descriptors and `cut` (-1: none). The place's number; -1 when all are in use: then nothing is
 * taken over. An agent may have several places. */
int killer_add(struct killer *k, const struct agent_key *key, const struct jail_kill_target *t, int cut);
/* Closes its descriptors. False while an order is not carried out, or its outcome not taken: to be tried again. */
MUST_CHECK bool killer_remove(struct killer *k, int place);

/* Nothing of it is left. */
bool killer_is_over(struct killer *k, int place);

/* To all places of that agent; how many there are. `why` is copied. */
unsigned killer_order(struct killer *k, const struct agent_key *key, unsigned orders, const char *why);
void killer_order_place(struct killer *k, int place, unsigned orders, const char *why);
/* How many of the agent's places are not known to be over. */
unsigned killer_count(struct killer *k, const struct agent_key *key);
/* Walks the places that are not: the first in `from` or later, with its names. -1 at the end. */
int killer_at(struct killer *k, int from, char tenant[LEDGER_NAME_MAX + 1], char agent[LEDGER_NAME_MAX + 1]);

/* Readable when there is an outcome, or an order. */
int killer_event(const struct killer *k);
/* The next outcome; false: there is none, and nothing is readable until there is more. One thread. */
bool killer_next(struct killer *k, struct kill_outcome *out);
/* After killer_next said that there is none: a place whose kill was ordered, and why, once for each place. The jail's own hands
 * begin at once, too: they may signal processes, which waits for nothing (jail/kill/members.h). The same thread. */
bool killer_next_ordered(struct killer *k, int *place, char why[KILLER_WHY_MAX]);

void killer_health(struct killer *k, struct killer_health *out);

#endif
