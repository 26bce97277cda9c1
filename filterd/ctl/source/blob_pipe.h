/* blob_pipe.h - the contents of blobs, in the order of their ids, from one git process. */
#ifndef FILTERD_CTL_SOURCE_BLOB_PIPE_H
#define FILTERD_CTL_SOURCE_BLOB_PIPE_H

#include "ctl/source/git.h"

struct blob_pipe {
    struct git git;
    struct buf pending;
    size_t at; /* of pending, what was taken */
    size_t max;
};

enum blob_state { BLOB_MISSING, BLOB_TOO_LARGE, BLOB_READ };

/* `ids`: one a line. A blob of more than `max` bytes is passed over. */
MUST_CHECK bool blob_pipe_open(struct blob_pipe *b, struct span ids, size_t max, struct error *err);
void blob_pipe_close(struct blob_pipe *b);
/* *content is valid until the next call. */
MUST_CHECK bool blob_pipe_next(struct blob_pipe *b, struct span id, enum blob_state *state, struct span *content, struct error *err);
/* All were read: git's exit code. */
MUST_CHECK bool blob_pipe_end(struct blob_pipe *b, struct error *err);

#endif
