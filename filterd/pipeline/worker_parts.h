/* worker_parts.h - what a worker searches with; for the pipeline's own files. */
#ifndef FILTERD_PIPELINE_WORKER_PARTS_H
#define FILTERD_PIPELINE_WORKER_PARTS_H

#include "pipeline/worker.h"

struct finder;
struct finder *worker_finder(struct worker *w);

#endif
