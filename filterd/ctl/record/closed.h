/* closed.h - the closed files of a proven log, for the commands that compress and remove them.
 *
 * All files of the log but the newest are closed: nothing is written behind a file once another one goes on from it. One command at
 * a time has them: the folder `record` is locked. One thread. */
#ifndef FILTERD_CTL_RECORD_CLOSED_H
#define FILTERD_CTL_RECORD_CLOSED_H

#include "base/digest.h"
#include "ctl/record/proven_log.h"
#include "record/log_keys.h"
#include "record/log_reader.h"

struct closed_log {
    struct proven_log log; /* its newest checkpoint was verified */
    struct log_keys keys;  /* that sign its checkpoints */
    size_t n;                   /* closed files: the first ones of log.files */
    char stem[NAME_MAX + 1];    /* of the open file's name: "decisions" */
    int lock;
};

/* `path` is of the open file. NOT_FOUND: there is no log with a proof; DENIED: another command is running. Either way
 * closed_log_close releases. */
MUST_CHECK bool closed_log_open(struct closed_log *c, const char *path, struct error *err);
void closed_log_close(struct closed_log *c);
/* The number of the last line of a closed file: the next one goes on behind it. */
uint64_t closed_log_last(const struct closed_log *c, size_t file);
/* Compares all lines with tiles and checkpoints, as filterctl record verify. INVALID names what is not right; a missing tile is
 * not right, too. */
MUST_CHECK bool closed_log_check(const struct closed_log *c, struct error *err);

/* Each line of one file; `take` ends it with false. INVALID: a line is not whole or not in order. */
typedef bool closed_line_fn(void *context, const struct log_line *line, struct error *err);
MUST_CHECK bool closed_each(const struct log_file *file, closed_line_fn *take, void *context, struct error *err);

/* Of the bytes of the file, compressed or not. */
MUST_CHECK bool closed_sha256(const char *path, char hex[DIGEST_SHA256_HEX + 1], struct error *err);
/* Names in the folder are on disk when this returns true. */
MUST_CHECK bool closed_sync_folder(const char *folder, struct error *err);

#endif
