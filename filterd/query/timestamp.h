/* timestamp.h - points in time as people and records write them. */
#ifndef FILTERD_QUERY_TIMESTAMP_H
#define FILTERD_QUERY_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* The years 1678 to 2261. RFC 3339 ("2026-11-21T08:00:00.5Z", "…+01:00"; seconds and zone may be left out: UTC), a date
 * alone (its first moment), or an age before `now_ns` ("30s", "15m", "6h", "7d", "2w"). False for
 * any other text. */
bool timestamp_parse(struct span text, int64_t now_ns, int64_t *ns);

#endif
