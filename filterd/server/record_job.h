/* record_job.h - routes that read the record's files: a worker does it, as the operators' thread has kills to order. */
#ifndef FILTERD_SERVER_RECORD_JOB_H
#define FILTERD_SERVER_RECORD_JOB_H

#include "server/routes.h"

/* Appends to the answer, and may set the reply itself; false with an error, or with a reply that says what is wrong. */
typedef bool record_show_fn(struct request *r, struct error *err);

/* Has the pool run `job`, which calls record_job_run. */
enum step record_job_queue(struct request *r, void (*job)(void *context, struct worker *w));
/* In the pool's thread. `w` NULL: the service is stopping. */
void record_job_run(struct request *r, const struct worker *w, record_show_fn *show, const char *type, const char *cache);

#endif
