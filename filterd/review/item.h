/* item.h - one item of the review queue as a state machine: states, steps, dispositions.
 *
 *     new --claim--> claimed --dispose--> closed(disposition) --reopen--> new
 *      ^------------release--|    |--assign, escalate--> claimed by another
 *
 * The service calls item_step before it writes a line of the record, and the fold applies it to the line, so the rebuilt queue
 * is the one that people saw. Pure: the time is that of the step. An expired lease does not change the state; another person
 * may then claim the item.
 *
 * An item closes when as many people as its policy requires have chosen the same disposition; until then each disposition
 * returns it to the queue for another person. */
#ifndef FILTERD_REVIEW_ITEM_H
#define FILTERD_REVIEW_ITEM_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum {
    ITEM_NAME = 128,                   /* bytes of a person's name */
    ITEM_REVIEWERS_MAX = 2,            /* who must agree */
    ITEM_OPINIONS_MAX = 6,             /* with five dispositions, two of six people agree */
    ITEM_LEASE_MS = 15 * 60 * 1000,    /* of a claim */
};

enum item_state { ITEM_NEW, ITEM_CLAIMED, ITEM_CLOSED, ITEM_STATES };
enum item_disposition {
    ITEM_UNDISPOSED, /* a closed item with it is snoozed */
    ITEM_TRUE_POSITIVE,
    ITEM_FALSE_POSITIVE,
    ITEM_BENIGN,     /* correct, but permitted here */
    ITEM_POLICY_GAP, /* the policy should have acted differently */
    ITEM_UNSURE,
    ITEM_DISPOSITIONS
};
enum item_verb {
    ITEM_NO_VERB,
    ITEM_CLAIM,    /* until until_ms; the assignee may extend it */
    ITEM_RELEASE,
    ITEM_DISPOSE,
    ITEM_REOPEN,
    ITEM_UNDO,     /* the last dispose or snooze, by the same person */
    ITEM_ASSIGN,   /* to `assignee`, without a lease */
    ITEM_ESCALATE, /* the same, and marks the item */
    ITEM_SNOOZE,   /* closes the item; its group opens no other until the snooze ends */
    ITEM_NOTE,     /* changes nothing */
    ITEM_VERBS
};

/* Names in the record; "" for an unknown number. The inverse returns 0 for an unknown name. */
const char *item_state_name(unsigned state);
const char *item_disposition_name(unsigned disposition);
const char *item_verb_name(unsigned verb);
unsigned item_disposition_of(struct span name);
unsigned item_verb_of(struct span name);
/* ITEM_STATES for an unknown name. */
unsigned item_state_of(struct span name);

struct item_opinion {
    char by[ITEM_NAME + 1];
    enum item_disposition disposition;
};

struct item {
    uint64_t seq; /* the line that is the item */
    enum item_state state;
    enum item_disposition disposition; /* of a closed one */
    char assignee[ITEM_NAME + 1];      /* "": none. A closed item keeps it, for undo */
    int64_t lease_until_ms;            /* UTC; 0: no end */
    uint64_t version;                  /* increases with every step except notes; 1 for a new item */
    uint64_t last;                     /* line of the last step except notes; 0: none */
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
    uint64_t version;                  /* that `by` saw; 0: any */
    enum item_disposition disposition; /* of ITEM_DISPOSE */
    struct span assignee;              /* of ITEM_ASSIGN, ITEM_ESCALATE */
    int64_t until_ms;                  /* of ITEM_CLAIM: expiry of the lease */
    uint64_t undo_of;                  /* of ITEM_UNDO: a line */
};

/* `after` may be `before`. INVALID: not possible in that state or by that person; DENIED: the item has another version;
 * MALFORMED: the step is incomplete. */
MUST_CHECK bool item_step(const struct item *before, const struct item_event *e, struct item *after, struct error *err);

/* The item is assigned at that time: by assignment, or by a lease that has not expired. */
bool item_is_held(const struct item *item, int64_t now_ms);
static inline bool item_is_open(const struct item *item)
{
    return item->state != ITEM_CLOSED;
}

#endif
