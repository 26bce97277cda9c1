/* review_candidate.h - lines that become items: decisions and events of agents with a member `review`.
 *
 * Whether a line becomes an item was decided when it was written. A candidate belongs to a group: hits of the same value
 * (tenant, rule, value token), without a token those of the same place (tenant, rule, agent, path). A sample belongs to
 * none, so that no disposition of others can decide it. Pure. Spans are borrowed from the line or the arena. */
#ifndef FILTERD_REVIEW_REVIEW_CANDIDATE_H
#define FILTERD_REVIEW_REVIEW_CANDIDATE_H

#include "base/arena.h"
#include "review/review_line.h"

/* Why a line is to be reviewed. */
enum review_why { REVIEW_NOT, REVIEW_ACTION, REVIEW_SEVERITY, REVIEW_BAND, REVIEW_EVENT, REVIEW_SAMPLE, REVIEW_WHYS };
const char *review_why_name(unsigned why); /* "" for none */
unsigned review_why_of(struct span name);

enum { REVIEW_WORD_MAX = 256 /* bytes of a name: what is longer is kept cut to that */ };

struct review_candidate {
    uint64_t seq;
    int64_t ts_ms; /* UTC */
    enum review_why why;
    int64_t due_ms; /* UTC */
    unsigned reviewers;
    struct span tenant, app, agent, rule, policy, digest; /* empty: none. An event's rule is "agent." and its name */
    int action;          /* enum index_action */
    unsigned severity;   /* 0 none, 1 low to 4 critical; an event is critical */
    unsigned confidence; /* of the finding that decided, in ten-thousandths */
    unsigned agent_share; /* violations by the first threshold, in ten-thousandths */
    bool has_group;
    uint8_t group[REVIEW_GROUP];
};

/* False: the line does not become an item. A line that does not parse does not. */
bool review_candidate_read(struct span line, struct arena *memory, struct review_candidate *out);

#endif
