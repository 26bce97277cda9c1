/* record_job.h - runs routes that read the record's files on a worker, since the operators' thread must stay free for kills. */
#ifndef FILTERD_SERVER_RECORD_JOB_H
#define FILTERD_SERVER_RECORD_JOB_H

#include "server/routes.h"

/* Appends to the answer and may set the reply; false with an error or with an error reply. */
typedef bool record_show_fn(struct request *r, struct error *err);

/* Queues `job`, which must call record_job_run, for the pool. */
enum step record_job_queue(struct request *r, void (*job)(void *context, struct worker *w));
/* On a thread of the pool. `w` NULL: the service is stopping. */
void record_job_run(struct request *r, const struct worker *w, record_show_fn *show, const char *type, const char *cache);

#endif
