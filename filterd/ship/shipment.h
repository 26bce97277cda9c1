/* shipment.h - for filterd: the lag of the required sinks (ship-required).
 *
 * filterd has no connection to filterd-ship and needs none: it reads the positions that filterd-ship writes (position.h).
 * A position that is missing, unreadable or from the future is an infinite lag. Any thread. */
#ifndef FILTERD_SHIP_SHIPMENT_H
#define FILTERD_SHIP_SHIPMENT_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { SHIPMENT_SINKS_MAX = 16 };
#define SHIPMENT_UNKNOWN INT64_MAX

struct shipments {
    char directory[4096];
    struct span names[SHIPMENT_SINKS_MAX]; /* borrowed */
    size_t n;
    int64_t within_ms;
};

/* `names` is a list separated by commas, NULL: none; it is borrowed. `directory` NULL: ship in the state directory. */
MUST_CHECK bool shipments_init(struct shipments *s, const char *names, const char *directory, const char *state_directory,
                               int64_t within_ms, struct error *err);
/* The age in milliseconds of what the sink may not have, or SHIPMENT_UNKNOWN. */
int64_t shipments_lag(const struct shipments *s, size_t i, int64_t now_ns);
/* Whether each lag is within bounds; else *late is the name of one that is not. */
bool shipments_are_on_time(const struct shipments *s, int64_t now_ns, struct span *late);

#endif
