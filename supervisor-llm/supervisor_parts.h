/* supervisor_parts.h - the state of the supervisor's thread; for supervisor.c, shared_question.c and call.c.
 *
 *   question          one caller's question
 *   shared question   what identical questions share while they are open: the attempts and their order
 *   call              one attempt: one request to one endpoint
 *   endpoint state    what is known of one endpoint: breaker, budget, active calls */
#ifndef FILTERD_SUPERVISOR_LLM_SUPERVISOR_PARTS_H
#define FILTERD_SUPERVISOR_LLM_SUPERVISOR_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "supervisor-llm/breaker.h"
#include "supervisor-llm/budget.h"
#include "supervisor-llm/post.h"
#include "supervisor-llm/supervisor.h"
#include "supervisor-llm/verdict_cache.h"

enum { SHARED_CALLS = 2 }; /* at once: the second is a hedge */

struct endpoint_state {
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
    struct endpoint_state *state;
    struct shared_question *shared;
    double reserved; /* tokens */
    bool is_too_large;
};

struct shared_question {
    struct supervisor *supervisor;
    struct verdict_key keys[ENDPOINTS_MAX]; /* one per endpoint, as models differ; the first is its name */
    struct supervisor_question *questions;
    struct buf text; /* a copy, since the first question may end first */
    unsigned categories;
    struct trace_context trace;
    struct call *calls[SHARED_CALLS];
    unsigned n_calls, attempts;
    unsigned tried[ENDPOINTS_MAX];
    unsigned barred; /* bit per endpoint: its answer was invalid */
    struct supervision last; /* the result of the last attempt */
    uint64_t not_before_ns, hedge_ns;
    struct shared_question *next, **link;
};

struct supervisor {
    struct endpoints *endpoints;
    struct prompts *prompts;
    struct endpoint_state endpoint_states[ENDPOINTS_MAX];
    struct budget retries;
    struct verdict_cache *cache;
    struct arena scratch;
    CURLM *multi;
    pthread_t thread;
    bool is_started;
    struct shared_question *shared_questions;
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

/* Starts a call and counts it at its endpoint. NULL: no memory. */
struct call *call_begin(struct supervisor *s, struct shared_question *shared, struct endpoint_state *p, double reserved,
                        uint64_t left_ms);
/* Stores the call's result in *out, and updates the endpoint's breaker and budget. */
void call_end(struct supervisor *s, struct call *c, CURLcode code, struct supervision *out);
/* Abandons the call; a late one counts as a failure of the endpoint. */
void call_abandon(struct supervisor *s, struct call *c, bool is_late);

/* --- shared_question.c --- */

/* Answers the question at once, joins it to an identical one, or begins a new one. */
void question_ask(struct supervisor *s, struct supervisor_question *q, uint64_t now_ns);
/* Handles the end of an attempt. May free it. */
void shared_question_take(struct shared_question *shared, struct call *c, CURLcode code, uint64_t now_ns);
/* Ends late questions and begins attempts that are due. May free it. */
void shared_question_advance(struct shared_question *shared, uint64_t now_ns);
/* When to call shared_question_advance next; UINT64_MAX: at the next event. */
uint64_t shared_question_due_ns(const struct shared_question *shared);
void shared_question_stop(struct shared_question *shared);

/* Ends the question with the result. */
void question_end(struct supervisor *s, struct supervisor_question *q, const struct supervision *result,
                  uint64_t now_ns);

#endif
