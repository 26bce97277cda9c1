/* item.h - one item of the review queue as a state machine: states, steps, dispositions.
 *
 *     new --claim--> claimed --dispose--> closed(disposition) --reopen--> new
 *      ^------------release--|    |--assign, escalate--> claimed by another
 *
 * The same function decides what a person may do and what a line of the record means, so the queue made of the lines is the
 * queue that people saw. Pure: the time is that of the step. A lease that has ended leaves the state as it was; another
 * person may then take the item.
 *
 * An item closes when as many people as its policy wants have given the same disposition; until then each disposition
 * returns it to the queue for another person. */
#ifndef FILTERD_REVIEW_ITEM_H
#define FILTERD_REVIEW_ITEM_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum {
    ITEM_NAME = 128,                   /* bytes of a person's name */
    ITEM_REVIEWERS_MAX = 2,            /* that must agree */
    ITEM_OPINIONS_MAX = 6,             /* with five dispositions two of six people agree */
    ITEM_LEASE_MS = 15 * 60 * 1000,    /* of a claim */
};

enum item_state { ITEM_NEW, ITEM_CLAIMED, ITEM_CLOSED, ITEM_STATES };
enum item_disposition {
    ITEM_UNDISPOSED, /* of a closed item: snoozed with its group */
    ITEM_TRUE_POSITIVE,
    ITEM_FALSE_POSITIVE,
    ITEM_BENIGN,     /* right, and permitted here */
    ITEM_POLICY_GAP, /* the policy should have acted otherwise */
    ITEM_UNSURE,
    ITEM_DISPOSITIONS
};
enum item_verb {
    ITEM_NO_VERB,
    ITEM_CLAIM,    /* for `until`, or longer by whoever has it */
    ITEM_RELEASE,
    ITEM_DISPOSE,
    ITEM_REOPEN,
    ITEM_UNDO,     /* of the last dispose or snooze, by the same person */
    ITEM_ASSIGN,   /* to `assignee`, without an end */
    ITEM_ESCALATE, /* the same, and marked */
    ITEM_SNOOZE,   /* closes the item; its group opens no other for a while */
    ITEM_NOTE,     /* changes nothing */
    ITEM_VERBS
};

/* Words of the record; "" for numbers that have none. The inverse gives the number of no word as the first one. */
const char *item_state_name(unsigned state);
const char *item_disposition_name(unsigned disposition);
const char *item_verb_name(unsigned verb);
unsigned item_disposition_of(struct span name);
unsigned item_verb_of(struct span name);
/* ITEM_STATES for no state. */
unsigned item_state_of(struct span name);

struct item_opinion {
    char by[ITEM_NAME + 1];
    enum item_disposition disposition;
};

struct item {
    uint64_t seq; /* of the line that made it */
    enum item_state state;
    enum item_disposition disposition; /* of a closed one */
    char assignee[ITEM_NAME + 1];      /* "": nobody. A closed item keeps it, for undo */
    int64_t lease_until_ms;            /* UTC; 0: without end */
    uint64_t version;                  /* grows with every step but notes; 1 for a new item */
    uint64_t last;                     /* line of the last step that changed it; 0: none */
    enum item_verb last_verb;
    char last_by[ITEM_NAME + 1];
    bool is_escalated;
    unsigned reviewers; /* 1 to ITEM_REVIEWERS_MAX */
    unsigned n_opinions;
    struct item_opinion opinions[ITEM_OPINIONS_MAX];
};

struct item_event {
    enum item_verb verb;
    uint64_t line; /* its number; 0: not written yet */
    int64_t ts_ms; /* UTC */
    struct span by;
    uint64_t version;                  /* that `by` has seen; 0: any */
    enum item_disposition disposition; /* of ITEM_DISPOSE */
    struct span assignee;              /* of ITEM_ASSIGN, ITEM_ESCALATE */
    int64_t until_ms;                  /* of ITEM_CLAIM: end of the lease */
    uint64_t undo_of;                  /* of ITEM_UNDO: a line */
};

/* `after` may be `before`. INVALID: the step is not possible in that state or by that person; DENIED: the version is not
 * the item's; MALFORMED: the step lacks something. */
MUST_CHECK bool item_step(const struct item *before, const struct item_event *e, struct item *after, struct error *err);

/* Whether somebody has the item at that time. */
bool item_is_held(const struct item *item, int64_t now_ms);
static inline bool item_is_open(const struct item *item)
{
    return item->state != ITEM_CLOSED;
}

#endif
