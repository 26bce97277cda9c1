/* stream_inquiry.h - a stream whose text waits for the supervisor: what it will be asked about.
 *
 * As the policy's `hold` says, what the rules release leaves unit by unit (sentence, paragraph; stream_gate.h), and a unit
 * in which something calls for the supervisor waits for its answer; or nothing leaves before all of the stream was asked
 * about. The code that delivers keeps what waits:
 *
 *   options.can_wait = true; s = stream_new(&options, &err);
 *   stream_mark(s)                    from here on what is released is kept together; again as soon as it has left
 *   stream_feed or stream_end …
 *   stream_asks(s)                    something of that is to be asked about now: feed nothing more, stream_ask, wait for
 *                                     the answer, stream_take_answer; and look again, as more may be
 *   stream_waits(s)                   true: keep all since the mark. False: it may leave, or is dropped after a block
 *   stream_ask(s, &x)                 when all channels have ended, for what waited to the end
 *
 * Questions are asked one after the other, in the order of the text. The last that the policy grants a stream is about all
 * that is left of it, so that a long one is asked about to its end. A passage cannot be redacted any more by then:
 * what the policy would redact is blocked. */
#ifndef FILTERD_PIPELINE_STREAM_INQUIRY_H
#define FILTERD_PIPELINE_STREAM_INQUIRY_H

#include "pipeline/stream.h"

/* Whether the supervisor may yet be asked about the stream. */
bool stream_is_supervised(const struct stream *s);
/* Whether what was released since the mark is to be kept. */
bool stream_waits(const struct stream *s);
/* Whether all of the stream is held: nothing of it can be promised to the client yet. */
bool stream_waits_whole(const struct stream *s);
/* For who delivers nothing before the end: one question will do. Before anything is fed. */
void stream_wait_whole(struct stream *s);
void stream_mark(struct stream *s);
/* Bytes released, but for what is kept. */
size_t stream_left(const struct stream *s);
/* Bytes of memory that what it will be asked about takes, beside what the caller keeps. */
size_t stream_question_room(const struct stream *s);
/* A part of the same answer that was judged beside the stream and not blocked, as it would be delivered. */
void stream_add_part(struct stream *s, const struct exchange *part);
/* Whether there is something to be asked about before more is fed. */
bool stream_asks(const struct stream *s);
/* True when the supervisor is to be asked: *x is stream_exchange's, with the question. */
bool stream_ask(struct stream *s, struct exchange *x);
void stream_take_answer(struct stream *s, struct worker *w, const struct supervision *answer);

/* --- for stream*.c --- */

struct stream_inquiry;
struct stream_step;
/* *out is NULL when no supervisor is asked while the stream goes on. */
MUST_CHECK bool stream_inquiry_new(const struct stream_options *o, struct stream_inquiry **out, struct error *err);
void stream_inquiry_free(struct stream_inquiry *q);
/* Whether streams are asked about in units; NULL is fine. */
bool stream_inquiry_has_units(const struct stream_inquiry *q);
/* Takes what a step has appended to `out` behind `before`, and leaves there what goes on. `base`: where the channel's
 * window began. */
MUST_CHECK bool stream_inquiry_take(struct stream_inquiry *q, struct stream_channel *c, const struct stream_step *step,
                                    size_t base, bool is_end, size_t before, struct buf *out, struct error *err);
/* Nothing more is asked about. Accepts NULL. */
void stream_inquiry_stop(struct stream_inquiry *q);
/* What the record says of it. NULL is fine. */
void stream_inquiry_show(const struct stream_inquiry *q, struct exchange *x);

#endif
