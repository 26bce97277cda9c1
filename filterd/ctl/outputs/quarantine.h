/* quarantine.h - the files that jails left for a review, reached by descriptor.
 *
 * A quarantine is a folder of plain files, written by the code in the jail: nothing in it is
 * trusted. No name is followed out of it, no link is followed at all, and what is not a regular file
 * with one name is counted and left alone. Bytes are read once: what is judged, hashed and copied is
 * the same memory. Not thread-safe. */
#ifndef FILTERD_CTL_OUTPUTS_QUARANTINE_H
#define FILTERD_CTL_OUTPUTS_QUARANTINE_H

#include "base/buf.h"
#include "base/digest.h"

enum {
    QUARANTINE_FILE_MAX = 64 * 1024 * 1024, /* as long as a text may be that is judged */
    QUARANTINE_DEPTH_MAX = 32,
    QUARANTINE_FILES_MAX = 1000000,
};

struct quarantine {
    int folder;
    char **paths; /* from the folder, in order */
    size_t n, cap;
    size_t n_refused; /* links, devices, files with more than one name, too deep */
};

MUST_CHECK bool quarantine_open(struct quarantine *q, const char *folder, struct error *err);
/* Of one that was opened, or whose folder is -1. */
void quarantine_close(struct quarantine *q);

/* Replaces what `out` holds. LIMIT when the file is longer than QUARANTINE_FILE_MAX. */
MUST_CHECK bool quarantine_read(const struct quarantine *q, const char *path, struct buf *out,
                                char digest[DIGEST_SHA256_HEX + 1], struct error *err);
/* Also folders above it that are empty then. */
MUST_CHECK bool quarantine_remove(const struct quarantine *q, const char *path, struct error *err);

/* A descriptor of what `path` is below `folder`, no part of which is a link; -1 with errno. */
int quarantine_open_below(int folder, const char *path, int flags);

#endif
