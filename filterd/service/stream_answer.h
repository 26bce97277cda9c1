/* stream_answer.h - what a caller of /v1/streams gets back for a chunk, and for the end, written straight into a buffer.
 *
 * False when there is no room for it: then part of it may be there. */
#ifndef FILTERD_SERVICE_STREAM_ANSWER_H
#define FILTERD_SERVICE_STREAM_ANSWER_H

#include "http/filter_request.h"
#include "service/open_stream.h"

/* The verdict so far. `text` is what may be released now, `held` the bytes that may not yet. */
MUST_CHECK bool stream_answer_chunk(const struct open_stream *o, struct span text, size_t held, struct buf *out);
/* The verdict on all of it, with what was kept of each channel. Scratch memory is the arena's. */
MUST_CHECK bool stream_answer_end(const struct open_stream *o, const struct filter_request *q, const struct exchange *x,
                                  struct arena *a, struct buf *out);

#endif
