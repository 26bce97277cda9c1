/* supervisor_metrics.h - writes the supervisor's counters for Prometheus. */
#ifndef FILTERD_HTTP_SUPERVISOR_METRICS_H
#define FILTERD_HTTP_SUPERVISOR_METRICS_H

#include "supervisor-llm/supervisor.h"

/* Appends the counters in Prometheus' text format. Does nothing for NULL. */
MUST_CHECK bool supervisor_metrics_write(const struct supervisor *s, struct buf *out, struct error *err);

#endif
