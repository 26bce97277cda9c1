/* blobs.h - the contents of blobs of the repository that git finds here, in the order of their ids, or in any where all are packed.
 *
 * Many blobs are read from the repository's packs in this process (packs.h). Git is asked for all that is not there, and for what
 * cannot be read there, so that what is wrong with a repository is what git says of it. */
#ifndef FILTERD_CTL_SOURCE_BLOBS_H
#define FILTERD_CTL_SOURCE_BLOBS_H

#include "ctl/source/blob_pipe.h"
#include "ctl/source/packs.h"

struct blobs {
    struct packs packs;
    struct blob_pipe pipe; /* those that are in no pack */
    size_t max;
};

/* For initialisers, before blobs_open. */
#define BLOBS_NONE {.pipe = {.git = GIT_NONE}}

/* `ids`: all of one length, one a line. A blob of more than `max` bytes is passed over. `folder`: the repository's folder of objects;
 * NULL: git is asked for it. */
MUST_CHECK bool blobs_open(struct blobs *b, const char *folder, struct span ids, size_t max, struct error *err);
void blobs_close(struct blobs *b);
/* *content is held for the caller where *state is BLOB_READ, else NULL. */
MUST_CHECK bool blobs_next(struct blobs *b, struct span id, enum blob_state *state, struct content **content, struct error *err);
/* All of them are in packs, which give them in any order. */
bool blobs_are_packed(const struct blobs *b);
/* Another blob, held for the caller. NULL: it is in no pack, or could not be read. */
struct content *blobs_packed(struct blobs *b, struct span id);
/* All were read: git's exit code. */
MUST_CHECK bool blobs_end(struct blobs *b, struct error *err);

#endif
