/* agent_record.h - lines of type agent: an alert about an agent, its freeze, kill or revival, and the outcome.
 * filterd-decision-log(5) describes the members. */
#ifndef FILTERD_ENFORCE_AGENT_RECORD_H
#define FILTERD_ENFORCE_AGENT_RECORD_H

#include "decision_log/decision_log.h"
#include "enforce/killer.h"
#include "judge/review_mark.h"

enum { AGENT_RECORD_MAX = 4096 };

/* What it has to do with the fleet. */
struct agent_fleet {
    uint64_t order;
    struct span node;           /* that ordered it; empty: left out */
    uint32_t nodes, presumed;   /* of a kill: nodes that had to end it, and of them those whose lease was over; 0: left out */
    struct span missing;        /* names of those that have not said so; empty: left out */
    int64_t survivors, took_us; /* with nodes alone; from the order to the last of them */
};

struct agent_event {
    const char *event; /* static word */
    const char *by;    /* static word: policy, operator, jail, reporter, lease, filterd, fleet; NULL: left out */
    struct agent_key key;
    struct span why;                    /* empty: left out */
    struct span jail;                   /* likewise */
    const struct exchange_id *exchange; /* that led to it; NULL: none */
    const struct agent_account *account;
    const struct kill_outcome *outcome; /* NULL: nothing was carried out yet */
    const struct agent_fleet *fleet;    /* NULL: nothing */
    struct review_mark review;          /* zeroed: it is not reviewed */
    int64_t now_ns;                     /* UTC */
};

/* Into `line`, in place of what that holds; it needs a ceiling of AGENT_RECORD_MAX. */
MUST_CHECK bool agent_record_format(const struct agent_event *e, struct buf *line, struct error *err);
/* Formats and queues; false when there is no room: the caller's to count. */
MUST_CHECK bool agent_record_write(struct decision_log *log, const struct agent_event *e, struct error *err);

#endif
