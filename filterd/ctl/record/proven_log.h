/* proven_log.h - a proven log as the commands of `filterctl record` are given it: a folder, files, or nothing.
 *
 * A folder has the log's files and `record` with tiles and checkpoints; files are a log's, in any order, with `record` in the
 * folder of the first; nothing is the log where filterd keeps it. Which log it is, the newest checkpoint says. */
#ifndef FILTERD_CTL_RECORD_PROVEN_LOG_H
#define FILTERD_CTL_RECORD_PROVEN_LOG_H

#include <limits.h>

#include "record/checkpoint.h"
#include "record/log_files.h"

struct proven_log {
    char folder[PATH_MAX], record[PATH_MAX];
    struct buf note; /* of `newest` */
    struct checkpoint newest;
    struct log_files files; /* of that log, in order */
    uint64_t minimum;       /* lines up to this one were removed on record */
};

/* `record` in place of the folder's own; may be NULL. What it holds is released by proven_log_close either way. */
MUST_CHECK bool proven_log_open(struct proven_log *p, char *const *operands, int n_operands, const char *record,
                                struct error *err);
void proven_log_close(struct proven_log *p);

/* Before lines up to `minimum` are removed: writes record/vkey, what is then missing of the first line, and record/minimum. The
 * caller syncs the folder. */
MUST_CHECK bool proven_log_keep(const struct proven_log *p, const struct note_key *key, uint64_t minimum, struct error *err);

#endif
