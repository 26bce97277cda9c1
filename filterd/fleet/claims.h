/* claims.h - what this node has done for agents and the fleet has not heard of yet, in the order it happened.
 *
 * A claim of the policy waits to be recorded until the database says whether this node was the first, or it is late, or the
 * contact is lost. Fixed room: when it is full, a claim is recorded at once, and ordered at the next contact. Any thread. */
#ifndef FILTERD_FLEET_CLAIMS_H
#define FILTERD_FLEET_CLAIMS_H

#include <pthread.h>

#include "enforce/agents.h"
#include "link/wire.h"

enum { CLAIMS_MAX = 256, CLAIM_LATE_MS = 250 };

enum claim_stage { CLAIM_NONE, CLAIM_QUEUED, CLAIM_SENT };

struct claim {
    enum claim_stage stage;
    bool is_recorded;
    unsigned what;
    uint64_t id;
    int64_t late_ms; /* monotonic */
    int64_t until_ns;
    double level;
    /* The event. */
    struct agent_account account;
    bool has_exchange;
    struct exchange_id exchange;
    int64_t now_ns;
    const char *by; /* static */
    char why[LINK_WIRE_TEXT];
};

struct claims {
    pthread_mutex_t lock;
    uint64_t last_id;
    struct claim items[CLAIMS_MAX];
};

void claims_init(struct claims *c);
void claims_deinit(struct claims *c);

/* The event is copied; its account may be NULL. False: there is no room. */
struct claim_order {
    unsigned what;
    double level;     /* the threshold, of what does not last */
    int64_t until_ns; /* likewise: until when the score stays above it */
    bool is_recorded;
};
MUST_CHECK bool claims_add(struct claims *c, const struct claim_order *order, const struct agent_event *e);
/* The oldest that is queued, as the message for it: false when there is none. */
bool claims_next(struct claims *c, struct link_message *m);
/* It was sent, or is to be again. */
void claims_set_sent(struct claims *c, uint64_t id);
void claims_queue_again(struct claims *c);
/* Removes it. False: there is none. */
bool claims_take(struct claims *c, uint64_t id, struct claim *out);
/* The next that has to be recorded now: late, or any when the contact is lost. It stays, and counts as recorded. */
bool claims_next_unrecorded(struct claims *c, bool is_lost, int64_t now_ms, struct claim *out);
/* Milliseconds until one is late; at most `other`. */
int claims_wait_ms(struct claims *c, int64_t now_ms, int other);

#endif
