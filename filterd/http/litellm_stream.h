/* litellm_stream.h - computes how much of each text must be held back while more may follow.
 *
 * While a model writes, LiteLLM repeatedly posts everything written so far, and emits
 * the answer's text except the last stream_holdback_chars characters. At the end it posts the same
 * again and emits all of it; nothing in the request distinguishes this last round. An answer's
 * text is therefore always that of a finished text, and the held part is what a stream
 * (pipeline/stream.h) has not released: the released text is a prefix of every later round's. */
#ifndef FILTERD_HTTP_LITELLM_STREAM_H
#define FILTERD_HTTP_LITELLM_STREAM_H

#include "http/litellm_request.h"
#include "pipeline/stream.h"

struct litellm_stream {
    struct buf *released; /* one per text; NULL: nothing was released */
    size_t n;
};

/* Feeds the texts of the request to a stream. A text that fails or blocks releases nothing: the
 * verdict on the finished texts decides about it. Uses the worker's arena. */
void litellm_stream_feed(struct litellm_stream *s, const struct litellm_request *q,
                         const struct stream_options *options, struct worker *w);
void litellm_stream_deinit(struct litellm_stream *s);

/* The number of characters (code points) to hold at the end of `output`, the finished text. */
size_t litellm_stream_held(const struct litellm_stream *s, size_t text, struct span output);

#endif
