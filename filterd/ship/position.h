/* position.h - the position of a sink in the log, in a file that is replaced atomically.
 *
 * filterd-ship writes it after each batch that a sink has acknowledged, and every SHIP_HEARTBEAT_MS when idle;
 * filterd reads it to compute the age of the oldest line that the sink does not have (shipment.h). It is a JSON object of
 * one line; it holds numbers and digests, nothing of a record. */
#ifndef FILTERD_SHIP_POSITION_H
#define FILTERD_SHIP_POSITION_H

#include <limits.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/span.h"

enum { SHIP_HEARTBEAT_MS = 5000, SHIP_POSITION_BYTES_MAX = 4096 };

struct ship_position {
    char file[DIGEST_SHA256_HEX + 1]; /* SHA-256 of the file's first line, which names it wherever it was moved; empty: none yet */
    int64_t file_ns;                  /* the time in that line */
    uint64_t seq;                     /* of the last line that the sink has; 0: none */
    uint64_t offset;                  /* where it ends in the file, as it was before it was compressed */
    int64_t as_of_ns;                 /* UTC: all that was written before this is at the sink; 0: nothing is known */
};

/* <directory>/<name>.json. False when it is too long. */
MUST_CHECK bool ship_position_path(const char *directory, struct span name, char path[PATH_MAX], struct error *err);
/* Fails with NOT_FOUND when there is none. */
MUST_CHECK bool ship_position_read(const char *path, struct ship_position *p, struct error *err);
/* Synced. */
MUST_CHECK bool ship_position_write(const char *path, const struct ship_position *p, struct error *err);

#endif
