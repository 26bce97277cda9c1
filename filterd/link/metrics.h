/* metrics.h - numbers of filterd-link in the text format of Prometheus. */
#ifndef FILTERD_LINK_METRICS_H
#define FILTERD_LINK_METRICS_H

#include <stdint.h>

#include "base/buf.h"

struct link_metric {
    const char *name; /* behind filterd_link_ */
    const char *type, *help;
    uint64_t value;
};
MUST_CHECK bool link_metrics_put(const struct link_metric *metrics, size_t n, struct buf *out, struct error *err);

#endif
