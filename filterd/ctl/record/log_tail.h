/* log_tail.h - the open file of a log, as far as it is written, and what comes after; over rotations.
 *
 * A file that was moved away is read to its end before the one that has its name now is begun. Memory is bounded by the longest
 * line. One thread at a time. */
#ifndef FILTERD_CTL_RECORD_LOG_TAIL_H
#define FILTERD_CTL_RECORD_LOG_TAIL_H

#include "base/buf.h"

/* One whole line, without its newline; false ends everything. */
typedef bool log_tail_fn(void *context, struct span line, struct error *err);

struct log_tail {
    const char *path; /* borrowed */
    int fd, inotify;  /* inotify -1: none, looked at once a second */
    struct buf pending;
    log_tail_fn *take;
    void *context;
};

MUST_CHECK bool log_tail_open(struct log_tail *t, const char *path, log_tail_fn *take, void *context, struct error *err);
void log_tail_close(struct log_tail *t);
/* Hands over all lines that are there. */
MUST_CHECK bool log_tail_read(struct log_tail *t, struct error *err);
/* Waits until there may be more, or the reader of standard output is gone, which is an error. */
MUST_CHECK bool log_tail_wait(struct log_tail *t, struct error *err);
/* What is there of a line without its end. */
bool log_tail_has_torn_line(const struct log_tail *t);

#endif
