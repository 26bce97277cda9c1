/* worker_parts.h - what a worker is made of; for the pipeline's own files. */
#ifndef FILTERD_PIPELINE_WORKER_PARTS_H
#define FILTERD_PIPELINE_WORKER_PARTS_H

#include "judge/find.h"
#include "pipeline/worker.h"

/* Nothing in it says how an exchange is judged: that is an argument (pipeline.c). */
struct worker {
    struct arena arena;
    struct worker_limits limits;
    const struct redaction_keys *keys;
    struct finder finder;
};

struct finder *worker_finder(struct worker *w);

#endif
