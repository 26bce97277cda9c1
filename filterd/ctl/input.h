/* input.h - a text given on the command line, or on standard input when it is "-". */
#ifndef FILTERD_CTL_INPUT_H
#define FILTERD_CTL_INPUT_H

#include "base/buf.h"
#include "pipeline/worker.h"

enum { INPUT_MAX = 64 * 1024 * 1024 };

/* *text is borrowed from `operand` or from `storage`, which the caller has initialised. */
MUST_CHECK bool input_text(const char *operand, struct buf *storage, struct span *text,
                           struct error *err);

/* For CLEANUP. */
void input_free_worker(struct worker **w);

#endif
