/* inquiry.h - a request that waits for the supervisor: what is asked, and what it came to.
 *
 * Created while judging, when the policy wants the supervisor asked; the exchange is then judged
 * again from the beginning, with the answer and under the same id and time, so that nothing of the
 * first round needs to be kept and no worker waits. */
#ifndef FILTERD_SERVICE_INQUIRY_H
#define FILTERD_SERVICE_INQUIRY_H

#include "judge/exchange.h"
#include "supervisor-llm/supervisor.h"

struct inquiry {
    struct supervisor_question question; /* first */
    void (*answered)(void *context);     /* the supervisor's thread */
    void *context;
    struct buf text;
    struct exchange_id id;
    int64_t now_ns;
    bool is_answered; /* else it is still to be asked */
};

/* Of an exchange that is_asking; NULL when memory is out. `since_ns` is when the deadline began. */
struct inquiry *inquiry_new(const struct exchange *x, uint64_t since_ns);
/* Accepts NULL. */
void inquiry_free(struct inquiry *i);

/* Made and not asked yet. NULL is not. */
bool inquiry_is_due(const struct inquiry *i);
/* `answered` may be called before this returns; the snapshot must stay until then. */
void inquiry_ask(struct inquiry *i, struct supervisor *s, void (*answered)(void *context), void *context);

struct service;
struct worker;

/* Before judging: the exchange may ask if the service has a supervisor, or gets the answer, and the first round's id
 * and time. */
void inquiry_apply(const struct inquiry *i, const struct service *s, struct exchange *x);
/* Judges. True when the supervisor is to be asked before there is a verdict: *at is the inquiry then. */
MUST_CHECK bool inquiry_judge(struct inquiry **at, struct worker *w, struct exchange *x, uint64_t since_ns);

#endif
