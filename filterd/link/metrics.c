#include "link/metrics.h"

#include <inttypes.h>

bool link_metrics_put(const struct link_metric *metrics, size_t n, struct buf *out, struct error *err)
{
    bool is_put = true;

    for (size_t i = 0; i < n && is_put; i++) {
        const struct link_metric *m = &metrics[i];
        is_put = buf_appendf(out, err, "# HELP filterd_link_%s %s\n# TYPE filterd_link_%s %s\nfilterd_link_%s %" PRIu64 "\n", m->name,
                             m->help, m->name, m->type, m->name, m->value);
    }
    return is_put;
}
