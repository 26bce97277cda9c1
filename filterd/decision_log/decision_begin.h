/* decision_begin.h - which log the open file is of, and how a new one begins; used only by decision_*.c.
 *
 * The log of the file is that of its first line; of an empty file, which a rotation left, that of the newest checkpoint. A new
 * log begins where there is none, where the file has lines without a proof, and where one is asked for: the file there is
 * closed as <name>-<first seq>.jsonl, and the new one, complete with its first line, takes its place by one rename. Whenever
 * that is interrupted, the next start does it again or goes on behind it. */
#ifndef FILTERD_DECISION_LOG_DECISION_BEGIN_H
#define FILTERD_DECISION_LOG_DECISION_BEGIN_H

#include <limits.h>

#include "decision_log/decision_batch.h"
#include "record/checkpoint.h"
#include "record/log_files.h"

struct decision_place {
    char path[PATH_MAX];   /* of the open file */
    char folder[PATH_MAX]; /* it is in */
    char record[PATH_MAX]; /* with tiles and checkpoints */
};
/* Makes the record's folder. */
MUST_CHECK bool decision_place_init(struct decision_place *place, const char *path, struct error *err);
/* A folder has one proven log, as it has one record, and one process writes it: DENIED while another does. The descriptor holds
 * the lock; -1 on failure. */
int decision_place_lock(const struct decision_place *place, struct error *err);

/* Sets b->origin, and f to the file to be continued, which has at least its first line and may be another than it was; an
 * empty one of a log that goes on gets its first line with the next batch, with its numbers behind those of the closed files
 * and of the newest checkpoint. Before the file's writer has begun. */
MUST_CHECK bool decision_begin(const struct decision_place *place, const struct decision_proving *proving,
                               struct decision_batch *b, struct decision_file *f, struct error *err);

#endif
