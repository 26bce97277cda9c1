/* filter_judge.h - from the bytes of one exchange to its answer and its record. */
#ifndef FILTERD_SERVICE_FILTER_JUDGE_H
#define FILTERD_SERVICE_FILTER_JUDGE_H

#include <microhttpd.h>

#include "http/filter_answer.h"
#include "service/service.h"

struct filter_job {
    struct service *service;
    const struct snapshot *snapshot; /* the caller holds it as long as the outcome is of use */
    struct span body;
    bool is_plain_in, is_plain_out;
    struct MHD_Connection *parameters; /* of is_plain_in: where the query parameters are */
    uint64_t started_ns;
    struct conversation_owner owner;   /* whose conversations are its own */
    unsigned caller;                   /* of the request, for the ledger */
    struct trace_context trace;        /* likewise, for the record */
    uint64_t head_ns;                  /* when the request began; 0: with started_ns */
    struct inquiry **inquiry; /* where one may be made, or stands answered */
};

/* Judges and writes answer and record line into empty buffers, or leaves them so and makes an
 * inquiry that is due. False: a fault, nothing was judged.
 * An empty record means that it could not be written: the caller must not deliver. */
MUST_CHECK bool filter_judge(const struct filter_job *job, struct worker *w,
                             struct filter_outcome *outcome, struct buf *answer, struct buf *record,
                             struct filter_fault *fault);

/* The answer becomes that of a verdict whose record could not be written. */
void filter_judge_unrecorded(struct service *s, struct filter_outcome *outcome, bool is_plain,
                             struct buf *answer);

#endif
