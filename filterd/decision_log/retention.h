/* retention.h - how long lines of the decision log are kept: the option `keep`.
 *
 *   400d                       all lines
 *   400d,review=6y,access=6y   lines of these types longer or shorter, all others 400 days
 *
 * Units are s, m, h, d, w and y, which is 366 days. Whole files are removed, so a line may stay longer than its term, never
 * shorter. Zeroed memory keeps everything. Any thread. */
#ifndef FILTERD_DECISION_LOG_RETENTION_H
#define FILTERD_DECISION_LOG_RETENTION_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { RETENTION_TYPES_MAX = 24, RETENTION_TYPE_LEN = 16 };

struct retention {
    int64_t all_ns; /* of lines whose type has no term of its own; 0: nothing is ever removed */
    struct retention_term {
        char type[RETENTION_TYPE_LEN];
        int64_t ns;
    } terms[RETENTION_TYPES_MAX];
    size_t n;
};

/* INVALID: another syntax than above. */
MUST_CHECK bool retention_parse(struct span text, struct retention *out, struct error *err);
/* 0: for ever. */
int64_t retention_term(const struct retention *r, struct span type);

#endif
