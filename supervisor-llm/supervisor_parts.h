/* supervisor_parts.h - the state of the supervisor's thread; for supervisor.c, matter.c and call.c.
 *
 *   question   one caller's question
 *   matter     the subject shared by identical questions; its attempts and their order
 *   call       one attempt: one request to one endpoint */
#ifndef FILTERD_SUPERVISOR_LLM_SUPERVISOR_PARTS_H
#define FILTERD_SUPERVISOR_LLM_SUPERVISOR_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "supervisor-llm/breaker.h"
#include "supervisor-llm/budget.h"
#include "supervisor-llm/post.h"
#include "supervisor-llm/supervisor.h"
#include "supervisor-llm/verdict_cache.h"

enum { MATTER_CALLS = 2 }; /* at once: the second is a hedge */

struct place {
    const struct endpoint *endpoint;
    struct breaker breaker;
    struct budget tokens;
    uint64_t n_calls; /* active */
};

struct notice;

/* A body for the webhook, queued for the supervisor's thread. */
struct posted {
    struct buf body;
    struct posted *next;
};

struct call {
    struct transfer_end end; /* first */
    struct post post;
    struct buf answer;
    struct prompt_marks marks;
    struct place *place;
    struct matter *matter;
    uint64_t retry_after_ns;
    double reserved; /* tokens */
    bool is_too_large;
};

struct matter {
    struct supervisor *supervisor;
    struct verdict_key keys[ENDPOINTS_MAX]; /* one per endpoint, as models differ; the first is its name */
    struct supervisor_question *questions;
    struct buf text; /* a copy, since the first question may end first */
    unsigned categories;
    struct trace_context trace;
    struct call *calls[MATTER_CALLS];
    unsigned n_calls, attempts;
    unsigned tried[ENDPOINTS_MAX];
    unsigned barred; /* bit per endpoint: its answer was invalid */
    struct supervision last; /* the result of the last attempt */
    uint64_t not_before_ns, hedge_ns;
    struct matter *next, **link;
};

struct supervisor {
    struct endpoints *endpoints;
    struct prompts *prompts;
    struct place places[ENDPOINTS_MAX];
    struct budget retries;
    struct verdict_cache *cache;
    struct arena scratch;
    CURLM *multi;
    pthread_t thread;
    bool is_started;
    struct matter *matters;
    size_t n_questions;
    struct notice *notices;
    size_t n_notices;
    pthread_mutex_t lock; /* guards the members below, except the counts */
    struct supervisor_question *asked, **asked_last;
    struct posted *posted;
    bool is_stopping;
    struct {
        _Atomic uint64_t outcomes[SUPERVISION_OUTCOME_COUNT], violations, cached, calls, retries, hedges, tokens_in,
            tokens_out, waiting, notices, notices_lost;
    } counts;
};

/* --- call.c --- */

/* Starts a call and counts it at its place. NULL: no memory. */
struct call *call_begin(struct supervisor *s, struct matter *m, struct place *p, double reserved, uint64_t left_ms);
/* Stores the call's result in *out, and updates the place's breaker and budget. */
void call_end(struct supervisor *s, struct call *c, CURLcode code, struct supervision *out);
/* Abandons the call; a late one counts as a failure of the endpoint. */
void call_abandon(struct supervisor *s, struct call *c, bool is_late);

/* --- matter.c --- */

/* Answers the question at once, joins it to an active matter, or begins a new one. */
void matter_ask(struct supervisor *s, struct supervisor_question *q, uint64_t now_ns);
/* Handles the end of an attempt. May free the matter. */
void matter_take(struct matter *m, struct call *c, CURLcode code, uint64_t now_ns);
/* Ends late questions and begins attempts that are due. May free the matter. */
void matter_advance(struct matter *m, uint64_t now_ns);
/* When to call matter_advance next; UINT64_MAX: at the next event. */
uint64_t matter_wakes(const struct matter *m);
void matter_stop(struct matter *m);

/* Ends the question with the result. */
void question_end(struct supervisor *s, struct supervisor_question *q, const struct supervision *result,
                  uint64_t now_ns);

#endif
