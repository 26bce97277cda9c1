/* litellm_stream.h - how much of each text may leave when more of it may follow.
 *
 * While a model writes, LiteLLM posts all that has been written so far, again and again, and emits
 * the answer's text but for the last stream_holdback_chars characters. At the end it posts the same
 * once more and emits all: nothing in the request tells that round from the others. So an answer's
 * text is always that of a finished one, and what is held back is the part of it that a stream
 * (pipeline/stream.h) has not released: that text is a prefix of every later round's. */
#ifndef FILTERD_HTTP_LITELLM_STREAM_H
#define FILTERD_HTTP_LITELLM_STREAM_H

#include "http/litellm_request.h"
#include "pipeline/stream.h"

struct litellm_stream {
    struct buf *released; /* one per text; NULL: nothing has been */
    size_t n;
};

/* Feeds the texts of the request to a stream. What fails, or blocks, has released nothing: the
 * judgement of the finished texts says what that means. Uses the worker's arena. */
void litellm_stream_feed(struct litellm_stream *s, const struct litellm_request *q,
                         const struct stream_options *options, struct worker *w);
void litellm_stream_deinit(struct litellm_stream *s);

/* How many characters (code points) at the end of `output`, the finished text, are to be held. */
size_t litellm_stream_held(const struct litellm_stream *s, size_t text, struct span output);

#endif
