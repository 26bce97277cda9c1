/* filter_answer.h - writes the answer of /v1/filter directly into a buffer.
 *
 * If an answer could not be recorded or written, one that blocks replaces it; its data
 * is in a filter_outcome, which outlives the worker's memory. */
#ifndef FILTERD_HTTP_FILTER_ANSWER_H
#define FILTERD_HTTP_FILTER_ANSWER_H

#include "base/buf.h"
#include "http/filter_request.h"

enum { OUTCOME_RULE_MAX = 128 };

struct filter_outcome {
    enum filter_kind kind;
    enum action action;
    struct exchange_id id;
    const struct policy *policy; /* lives as long as the request's snapshot */
    size_t bytes;
    uint64_t elapsed_ns;
    char rule[OUTCOME_RULE_MAX]; /* NUL-terminated; empty: none */
    char agent[FILTER_NAME_MAX + 1];
    const char *agent_state; /* static; NULL: no account */
    double violations;
};

void filter_outcome_set(struct filter_outcome *o, const struct filter_request *q,
                        const struct exchange *x, uint64_t elapsed_ns);
/* Changes the verdict to block by filterd.unjudged, with zero bytes judged. */
void filter_outcome_fail(struct filter_outcome *o);

/* Appends the JSON answer. Scratch memory is the arena's. */
MUST_CHECK bool filter_answer_write(const struct filter_request *q, const struct exchange *x,
                                    uint64_t elapsed_ns, struct arena *a, struct buf *out,
                                    struct error *err);
/* Append the parts before and after content of another shape. Findings in texts without
 * memory (ptr is NULL) have their place only in bytes. */
MUST_CHECK bool filter_answer_begin(const struct exchange *x, struct buf *out, struct error *err);
MUST_CHECK bool filter_answer_finish(const struct filter_request *q, const struct exchange *x,
                                     uint64_t elapsed_ns, struct arena *a, struct buf *out,
                                     struct error *err);
/* Appends only the text to deliver, or the notice of a block. */
MUST_CHECK bool filter_answer_plain(const struct exchange *x, struct buf *out, struct error *err);

/* The same two for an outcome that failed after its verdict; `reason` is static text. */
MUST_CHECK bool filter_answer_failed(const struct filter_outcome *o, const char *reason,
                                     struct buf *out, struct error *err);
MUST_CHECK bool filter_answer_failed_plain(const struct filter_outcome *o, struct buf *out,
                                           struct error *err);

#endif
