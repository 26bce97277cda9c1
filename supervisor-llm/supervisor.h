/* supervisor.h - asks another model for its verdict on a text, and always answers by the deadline.
 *
 * It has its own thread with libcurl's multi interface. A question goes to the first endpoint
 * whose breaker is closed and that has a free slot and tokens left. After a failure the next one is
 * asked, within the retry budget; identical concurrent questions are sent once; answers are cached.
 * `done` is called exactly once for each question, at its deadline at the latest, and a result without
 * an answer has the reason (judge/supervision.h). The pipeline applies the policy to it.
 *
 *   supervisor_new → supervisor_start → supervisor_ask … → supervisor_stop → supervisor_free */
#ifndef FILTERD_SUPERVISOR_LLM_SUPERVISOR_H
#define FILTERD_SUPERVISOR_LLM_SUPERVISOR_H

#include "formats/trace_context.h"
#include "supervisor-llm/endpoints.h"

struct supervisor;
struct shared_question;

/* The caller keeps it alive until `done` is called, once, from the supervisor's thread. */
struct supervisor_question {
    /* in */
    struct span text;     /* redacted already */
    struct span policy;   /* the policy's digest: part of the cache key */
    unsigned categories;  /* bit per enum supervisor_category, at least one */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC */
    struct trace_context trace; /* of the exchange; identical questions share that of the first */
    void (*done)(struct supervisor_question *q);
    /* out */
    struct supervision result;
    /* the supervisor's own */
    uint64_t asked_ns;
    struct shared_question *shared;
    struct supervisor_question *next;
};

/* Since start; any thread reads. */
struct supervisor_counts {
    uint64_t outcomes[SUPERVISION_OUTCOME_COUNT]; /* of questions */
    uint64_t violations, cached, calls, retries, hedges, tokens_in, tokens_out;
    uint64_t waiting; /* questions, now */
    uint64_t notices, notices_lost;
};

/* Takes the endpoints over, also on failure. NULL on failure. */
struct supervisor *supervisor_new(struct endpoints *endpoints, struct error *err);
MUST_CHECK bool supervisor_start(struct supervisor *s, struct error *err);
/* Any thread, from start to stop. `done` may run before it returns. */
void supervisor_ask(struct supervisor *s, struct supervisor_question *q);
/* Any thread. Posts the body, JSON, to the webhook, if there is one; takes its memory and empties it. */
void supervisor_post(struct supervisor *s, struct buf *body);
bool supervisor_has_webhook(const struct supervisor *s);
/* Ends the thread: open and later questions are done with SUPERVISION_STOPPED. */
void supervisor_stop(struct supervisor *s);
/* Stops. Accepts NULL. */
void supervisor_free(struct supervisor *s);

void supervisor_count(const struct supervisor *s, struct supervisor_counts *out);

#endif
