/* traffic.h - verdicts and failures by upstream, protocol and policy, for Prometheus.
 *
 * Labels are names of the configuration, never of a request, so there are at most as many rows as pairs of an upstream and a
 * policy; beyond TRAFFIC_ROWS_MAX all others share the row "other". Rows are kept over reloads. Counters are atomic; any thread
 * finds rows and counts. A zeroed table is empty. */
#ifndef FILTERD_UPSTREAM_TRAFFIC_H
#define FILTERD_UPSTREAM_TRAFFIC_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/buf.h"

enum { TRAFFIC_ROWS_MAX = 512, TRAFFIC_NAME_MAX = 128, TRAFFIC_ACTIONS = 3, TRAFFIC_KINDS = 8 };

struct traffic_row {
    char upstream[TRAFFIC_NAME_MAX + 1], protocol[TRAFFIC_NAME_MAX + 1], policy[TRAFFIC_NAME_MAX + 1];
    _Atomic uint64_t actions[TRAFFIC_ACTIONS]; /* by enum action */
    _Atomic uint64_t failures[TRAFFIC_KINDS];  /* by enum upstream_error */
    _Atomic uint64_t answers, first_byte_ns;   /* whose first byte was given to the client; the sum of their times */
};

struct traffic {
    atomic_flag is_adding;
    atomic_size_t n;
    struct traffic_row rows[TRAFFIC_ROWS_MAX + 1]; /* the last: all others */
};

/* Never NULL; lives as long as the table. Empty names are labels without a value; longer ones than TRAFFIC_NAME_MAX are cut. */
struct traffic_row *traffic_row(struct traffic *t, struct span upstream, struct span protocol, struct span policy);

/* Appends the rows in Prometheus' text format. The names have TRAFFIC_ACTIONS and TRAFFIC_KINDS items. */
MUST_CHECK bool traffic_write(const struct traffic *t, const char *const *actions, const char *const *kinds, struct buf *out,
                              struct error *err);

#endif
