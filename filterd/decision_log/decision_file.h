/* decision_file.h - the file of a decision log: whole lines only, numbered without gaps; used only by
 * decision_*.c.
 *
 * A batch is begun, appended to, and kept or cut off again. What was kept and what was synced are
 * known apart, as a failed sync says nothing good of anything written since the last. Used by one
 * thread at a time. */
#ifndef FILTERD_DECISION_LOG_DECISION_FILE_H
#define FILTERD_DECISION_LOG_DECISION_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/span.h"

struct decision_file {
    int fd;
    dev_t device;
    ino_t inode;
    uint64_t seq, synced_seq; /* of the last line kept, of the last line synced */
    off_t kept, synced;       /* where those lines end */
    bool is_torn;             /* bytes behind `kept` could not be cut off yet */
    off_t dropped;            /* bytes of a torn tail that opening cut off */
    bool is_empty;            /* when it was opened */
};

/* Opens or creates, locks, cuts a torn tail. INVALID when it holds something else than records. */
MUST_CHECK bool decision_file_open(struct decision_file *f, const char *path, struct error *err);
/* Whether it could be opened: nothing is made, cut or locked, as another process may write it. */
MUST_CHECK bool decision_file_check(const char *path, struct error *err);
void decision_file_close(struct decision_file *f);

/* Names made, changed or removed in the folder of `path` are on disk when this returns true. */
MUST_CHECK bool decision_file_sync_folder(const char *path, struct error *err);

/* Cuts off what a failed batch left. INVALID when the file was removed, or has another length than this process gave it: nothing
 * is written into it any more. */
MUST_CHECK bool decision_file_begin(struct decision_file *f, struct error *err);
MUST_CHECK bool decision_file_append(struct decision_file *f, struct span bytes, struct error *err);
/* What was appended since begin stays; `seq` is that of its last line. */
MUST_CHECK bool decision_file_keep(struct decision_file *f, uint64_t seq, struct error *err);
/* All that was kept is on disk when this returns true. When it fails, all since the last sync is
 * cut off. */
MUST_CHECK bool decision_file_sync(struct decision_file *f, struct error *err);
void decision_file_rollback(struct decision_file *f);

#endif
