/* log_order.h - the files of a decision log in its directory, ordered by the times of their first lines, also across
 * successive logs; compressed or not (record/log_input.h). For follow.c. */
#ifndef FILTERD_SHIP_LOG_ORDER_H
#define FILTERD_SHIP_LOG_ORDER_H

#include <limits.h>

#include "base/digest.h"

struct ordered_file {
    char path[PATH_MAX]; /* empty: none */
    char digest[DIGEST_SHA256_HEX + 1];
    int64_t time_ns; /* of the first line */
    uint64_t seq;
    bool is_plain; /* not compressed */
};

/* The file whose first line has that digest, the uncompressed one of two. None is no failure. */
MUST_CHECK bool log_order_find(const char *directory, const char *name, const char *digest, struct ordered_file *found,
                               struct error *err);
/* The first one that began after that time, or at that time with a number above `seq`. */
MUST_CHECK bool log_order_after(const char *directory, const char *name, int64_t time_ns, uint64_t seq,
                                struct ordered_file *found, struct error *err);

#endif
