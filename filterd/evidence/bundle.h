/* bundle.h - an evidence bundle that is being written: named files with their digests, then one tar archive of them.
 *
 * Files are written one after the other into a spool on disk, so that memory is bounded by their number; the archive has
 * them in the order of their names, whatever the order in which they came. One thread. */
#ifndef FILTERD_EVIDENCE_BUNDLE_H
#define FILTERD_EVIDENCE_BUNDLE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/digest.h"

enum { BUNDLE_FILES_MAX = 210000, BUNDLE_NAME_MAX = 100 };

struct bundle_file {
    char name[BUNDLE_NAME_MAX];
    off_t at; /* in the spool */
    uint64_t size;
    char sha256[DIGEST_SHA256_HEX + 1];
};

struct bundle_limits {
    const char *folder;   /* of the spool; NULL: $TMPDIR or /tmp */
    uint64_t bytes_max;   /* of the archive; 0: none */
    uint64_t free_min;    /* bytes that are left free on the disk; 0: none */
    const atomic_bool *is_stopped; /* set by another thread: what is written next fails with DENIED; NULL: never */
};

struct bundle {
    struct bundle_limits limits;
    uint64_t overhead; /* of the archive: headers and padding, at most */
    int spool;
    off_t end;
    struct buf out; /* not yet in the spool */
    void *hash;     /* of the file that is open; NULL: none is */
    struct bundle_file *files;
    size_t n, room;
};

/* The limits are copied. What exceeds one of them is LIMIT. */
MUST_CHECK bool bundle_open(struct bundle *b, const struct bundle_limits *limits, struct error *err);
void bundle_close(struct bundle *b);

/* A file begins, gets bytes, ends. */
MUST_CHECK bool bundle_begin(struct bundle *b, const char *name, struct error *err);
MUST_CHECK bool bundle_add(struct bundle *b, struct span bytes, struct error *err);
void bundle_end(struct bundle *b);
/* All three. */
MUST_CHECK bool bundle_put(struct bundle *b, const char *name, struct span bytes, struct error *err);

/* In the order of names; for the list of what is in the bundle. */
void bundle_sort(struct bundle *b);
/* The archive, to a new file at `path` (0600), whole or not at all. */
MUST_CHECK bool bundle_write(struct bundle *b, const char *path, struct error *err);

#endif
