/* review_candidate.h - lines that become items: decisions and events of agents with a member `review`.
 *
 * The gate decides whether a line becomes an item when it writes the line. A candidate belongs to a group: same tenant, rule and
 * value token; without a token, same tenant, rule, agent and path. A sample belongs to no group, so that dispositions of other
 * items cannot close it. Pure. Spans are borrowed from the line or the arena. */
#ifndef FILTERD_REVIEW_REVIEW_CANDIDATE_H
#define FILTERD_REVIEW_REVIEW_CANDIDATE_H

#include "base/arena.h"
#include "review/review_line.h"

/* Why a line is an item. */
enum review_why { REVIEW_NOT, REVIEW_ACTION, REVIEW_SEVERITY, REVIEW_BAND, REVIEW_EVENT, REVIEW_SAMPLE, REVIEW_RULE_SAMPLE, REVIEW_WHYS };
const char *review_why_name(unsigned why); /* "" for none */
unsigned review_why_of(struct span name);
/* Of allowed exchanges, whose verdict is hidden until the item is closed. */
static inline bool review_why_is_blind(unsigned why)
{
    return why == REVIEW_SAMPLE || why == REVIEW_RULE_SAMPLE;
}

enum { REVIEW_WORD_MAX = 256 /* bytes of a name; longer ones are truncated */ };

struct review_candidate {
    uint64_t seq;
    int64_t ts_ms; /* UTC */
    enum review_why why;
    int64_t due_ms; /* UTC */
    unsigned reviewers;
    struct span tenant, app, agent, rule, policy, digest; /* empty: none. An event's rule is "agent." and its name,
                                                           a rule sample's the one it was drawn for */
    int action;          /* enum index_action */
    unsigned severity;   /* 0 none, 1 low to 4 critical; an event is critical */
    unsigned confidence; /* of the finding that decided, in ten-thousandths */
    unsigned agent_share; /* violations as a share of the first threshold, in ten-thousandths */
    bool has_group;
    uint8_t group[REVIEW_GROUP];
};

/* False: the line is not an item, or does not parse. */
bool review_candidate_read(struct span line, struct arena *memory, struct review_candidate *out);

#endif
