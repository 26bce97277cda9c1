/* stream_inquiry.h - a stream whose text waits for the supervisor: what it will be asked about.
 *
 * With the policy's `hold: all` nothing that a stream releases may leave before the supervisor was
 * asked about all of it, as the rules have redacted it. Whoever delivers keeps it meanwhile:
 *
 *   options.can_wait = true; s = stream_new(&options, &err);
 *   if (stream_waits(s)) …            keep what stream_feed and stream_end release
 *   stream_ask(s, &x)                 after the end: is anybody to be asked? x.question is the text
 *   stream_take_answer(s, w, &answer) what came of it; then look at stream_action
 *
 * A passage cannot be redacted any more by then: what the policy would redact is blocked. */
#ifndef FILTERD_PIPELINE_STREAM_INQUIRY_H
#define FILTERD_PIPELINE_STREAM_INQUIRY_H

#include "pipeline/stream.h"

/* Until the answer is taken, or it is known that nobody is to be asked. */
bool stream_waits(const struct stream *s);
/* A part of the same answer that was judged beside the stream, as it would be delivered. */
void stream_add_part(struct stream *s, struct span text);
/* True when the supervisor is to be asked: *x is stream_exchange's, with the question. False: what
 * was kept may leave as stream_action says. Once, when all channels have ended. */
bool stream_ask(struct stream *s, struct exchange *x);
void stream_take_answer(struct stream *s, struct worker *w, const struct supervision *answer);

/* --- for stream.c --- */

struct stream_inquiry;
/* *out is NULL when the policy lets nothing wait. */
MUST_CHECK bool stream_inquiry_new(const struct stream_options *o, struct stream_inquiry **out, struct error *err);
void stream_inquiry_free(struct stream_inquiry *q);
/* NULL is fine. */
void stream_inquiry_add(struct stream_inquiry *q, struct span released);
/* What the record says of it; NULL: nobody was to be asked. */
const struct supervision *stream_inquiry_result(const struct stream_inquiry *q);

struct stream_inquiry *stream_inquiry(const struct stream *s);

#endif
