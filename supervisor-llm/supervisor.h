/* supervisor.h - asks another model what it makes of a text, and always comes back in time.
 *
 * One thread of its own, libcurl's multi interface. A question is asked of the first endpoint that
 * may be asked now: its breaker is closed, it has a place free and tokens left. A failure goes on to
 * the next within the retry budget; the same question under way is asked once; answers are kept.
 * Whatever happens, each question is done once, at its deadline at the latest, and a result that is
 * no answer says why (judge/supervision.h). What the policy makes of that is the pipeline's.
 *
 *   supervisor_new → supervisor_start → supervisor_ask … → supervisor_stop → supervisor_free */
#ifndef FILTERD_SUPERVISOR_LLM_SUPERVISOR_H
#define FILTERD_SUPERVISOR_LLM_SUPERVISOR_H

#include "supervisor-llm/endpoints.h"

struct supervisor;
struct matter;

/* The asker keeps it alive until `done` is called, once, from the supervisor's thread. */
struct supervisor_question {
    /* in */
    struct span text;     /* redacted already */
    struct span policy;   /* its digest: part of what an answer depends on */
    unsigned categories;  /* bit per enum supervisor_category, at least one */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC */
    void (*done)(struct supervisor_question *q);
    /* out */
    struct supervision result;
    /* the supervisor's own */
    uint64_t asked_ns;
    struct matter *matter;
    struct supervisor_question *next;
};

/* Since start; any thread reads. */
struct supervisor_counts {
    uint64_t outcomes[SUPERVISION_OUTCOME_COUNT]; /* of questions */
    uint64_t violations, cached, calls, retries, hedges, tokens_in, tokens_out;
    uint64_t waiting; /* questions, now */
    uint64_t notices, notices_lost;
};

/* Takes the endpoints over, on failure too. NULL on failure. */
struct supervisor *supervisor_new(struct endpoints *endpoints, struct error *err);
MUST_CHECK bool supervisor_start(struct supervisor *s, struct error *err);
/* Any thread, from start to stop. `done` may run before it returns. */
void supervisor_ask(struct supervisor *s, struct supervisor_question *q);
/* Any thread. Posts the body, JSON, to the webhook, if there is one; takes it over, empties it. */
void supervisor_post(struct supervisor *s, struct buf *body);
bool supervisor_has_webhook(const struct supervisor *s);
/* Ends the thread: what is open is done with SUPERVISION_STOPPED, as is what is asked later. */
void supervisor_stop(struct supervisor *s);
/* Stops. Accepts NULL. */
void supervisor_free(struct supervisor *s);

const struct endpoints *supervisor_endpoints(const struct supervisor *s);
const char *supervisor_prompt_digest(const struct supervisor *s);
void supervisor_count(const struct supervisor *s, struct supervisor_counts *out);

#endif
