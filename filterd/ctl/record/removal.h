/* removal.h - retention: closed files of a proven log all of whose lines were kept long enough are removed.
 *
 * The log loses its oldest files, one after the other: a file that stays keeps those behind it. For each file a line of type prune is
 * on disk first, then record/minimum, then the file is removed. What stops in between is gone on with by the next run, with a line
 * of its own. Hash tiles and checkpoints stay, so proofs of removed lines still verify. One thread. */
#ifndef FILTERD_CTL_RECORD_REMOVAL_H
#define FILTERD_CTL_RECORD_REMOVAL_H

#include "ctl/record/closed.h"
#include "ctl/record/legal_holds.h"
#include "ctl/record/shipped.h"
#include "decision_log/retention.h"

/* What a prune line says; names and digests have commas between, in the same order. */
struct removal_line {
    struct buf files, sha256;
    uint64_t first, last;
};
/* True when the line is on disk. */
typedef bool removal_record_fn(const void *context, const struct removal_line *line, struct error *err);

struct removal {
    const struct retention *keep;
    const struct legal_holds *holds;
    struct shipped ship;
    const char *originals; /* folder of sealed originals */
    int64_t now_ns;
    removal_record_fn *record;
    const void *context;
};

struct removal_result {
    size_t n; /* files removed */
    uint64_t last; /* line removed; 0: none */
    char kept[PATH_MAX + 320]; /* the file that is due and stays, and why; "" */
};

/* On failure, *out is what was removed before it. */
MUST_CHECK bool removal_run(const struct closed_log *c, const struct removal *r, struct removal_result *out, struct error *err);

#endif
