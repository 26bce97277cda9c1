#include "http/litellm_stream.h"

#include <stdlib.h>

#include "text/utf8.h"

static bool feed(struct litellm_stream *s, const struct litellm_request *q, struct stream *stream,
                 struct worker *w)
{
    struct error err;

    for (size_t i = 0; i < s->n && stream_action(stream) != ACTION_BLOCK; i++) {
        struct stream_channel *c = stream_channel(stream, q->channels[i].path, &err);
        if (c == NULL) {
            return false;
        }
        stream_feed(stream, c, w, q->channels[i].text, &s->released[i]);
    }
    return stream_action(stream) != ACTION_BLOCK;
}

void litellm_stream_feed(struct litellm_stream *s, const struct litellm_request *q,
                         const struct stream_options *options, struct worker *w)
{
    struct error err;

    *s = (struct litellm_stream){0};
    if (q->n_texts == 0 || q->n_texts > STREAM_CHANNELS_MAX) {
        return;
    }
    struct stream *stream = stream_new(options, &err);
    s->released = calloc(q->n_texts, sizeof(*s->released));
    if (stream != NULL && s->released != NULL) {
        s->n = q->n_texts;
        for (size_t i = 0; i < s->n; i++) {
            buf_init(&s->released[i], SIZE_MAX / 2);
        }
    }
    if (s->n == 0 || !feed(s, q, stream, w)) {
        litellm_stream_deinit(s);
    }
    stream_free(stream);
}

void litellm_stream_deinit(struct litellm_stream *s)
{
    for (size_t i = 0; i < s->n; i++) {
        buf_deinit(&s->released[i]);
    }
    free(s->released);
    *s = (struct litellm_stream){0};
}

size_t litellm_stream_held(const struct litellm_stream *s, size_t text, struct span output)
{
    struct span released = text < s->n ? buf_span(&s->released[text]) : (struct span){0};

    /* It always is a prefix; if it were not, nothing of it could be relied on. */
    if (!span_starts_with(output, released)) {
        released.len = 0;
    }
    return utf8_count_code_points(span_slice(output, released.len, output.len));
}
