/* supervisor_metrics.h - what the supervisor counts, for Prometheus. */
#ifndef FILTERD_HTTP_SUPERVISOR_METRICS_H
#define FILTERD_HTTP_SUPERVISOR_METRICS_H

#include "supervisor-llm/supervisor.h"

/* Appends it in Prometheus' text format. NULL is fine: nothing is. */
MUST_CHECK bool supervisor_metrics_write(const struct supervisor *s, struct buf *out, struct error *err);

#endif
