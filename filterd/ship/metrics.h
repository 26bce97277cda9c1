/* metrics.h - what filterd-ship counts, for the textfile collector of Prometheus' node exporter. */
#ifndef FILTERD_SHIP_METRICS_H
#define FILTERD_SHIP_METRICS_H

#include "base/buf.h"
#include "ship/task.h"

/* The sinks of a configuration and their tasks, in the same order; a task may be NULL. */
MUST_CHECK bool ship_metrics_format(const struct ship_config *c, struct ship_task *const *tasks, int64_t now_ns,
                                    struct buf *out, struct error *err);
/* Into the configuration's file, replaced whole, mode 0644. Without one it does nothing. */
MUST_CHECK bool ship_metrics_write(const struct ship_config *c, struct ship_task *const *tasks, struct error *err);

#endif
