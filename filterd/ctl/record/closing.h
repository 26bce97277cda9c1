/* closing.h - closed files of a proven log get the name of their first line and are compressed by zstd.
 *
 * decisions-<first seq>.jsonl.zst, with -1, -2 … behind the number where a file of another log has the name. The compressed file is
 * complete, on disk, and was read back and compared with the tiles line by line before the other one is removed. A file that is
 * compressed already is only renamed. What stops in between leaves the old file, or both; the next run goes on. One thread. */
#ifndef FILTERD_CTL_RECORD_CLOSING_H
#define FILTERD_CTL_RECORD_CLOSING_H

#include "ctl/record/closed.h"

struct closing_result {
    size_t n;       /* files renamed or compressed */
    size_t n_waiting; /* which no checkpoint covers yet */
};

/* INVALID: the lines of a file are not those that were signed; it is left as it is. *out is what was done before. */
MUST_CHECK bool closing_run(const struct closed_log *c, struct closing_result *out, struct error *err);

#endif
