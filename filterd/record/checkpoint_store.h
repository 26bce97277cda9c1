/* checkpoint_store.h - the checkpoints of a log on disk: the newest in `checkpoint`, all of them in `checkpoints`.
 *
 * `checkpoints` is append-only: notes, each followed by an empty line. A checkpoint is appended to it before it becomes the
 * newest. One writer; readers at any time. */
#ifndef FILTERD_RECORD_CHECKPOINT_STORE_H
#define FILTERD_RECORD_CHECKPOINT_STORE_H

#include <stdio.h>

#include "record/checkpoint.h"

/* Appends the newest note to `out`. NOT_FOUND: there is none. */
MUST_CHECK bool checkpoint_store_newest(const char *folder, struct buf *out, struct error *err);
/* Both files are on disk when this returns true. */
MUST_CHECK bool checkpoint_store_add(const char *folder, struct span note, struct error *err);
/* Before the first add: cuts off a last note that a crash left incomplete. */
MUST_CHECK bool checkpoint_store_repair(const char *folder, struct error *err);

/* The newest that others have cosigned, with their cosignatures, in the file `cosigned`, which has a writer of its own. */
MUST_CHECK bool checkpoint_store_cosigned(const char *folder, struct buf *out, struct error *err);
MUST_CHECK bool checkpoint_store_set_cosigned(const char *folder, struct span note, struct error *err);

/* The history, in order. */
struct checkpoint_history {
    FILE *file; /* NULL: there is none */
    char *path, *line;
    size_t room;
};
/* Without a file the history is empty. */
MUST_CHECK bool checkpoint_history_open(struct checkpoint_history *h, const char *folder, struct error *err);
void checkpoint_history_close(struct checkpoint_history *h);
/* Puts the next note into `note`, in place of what that holds; empty at the end. MALFORMED: the file ends within one. */
MUST_CHECK bool checkpoint_history_next(struct checkpoint_history *h, struct buf *note, struct error *err);

#endif
