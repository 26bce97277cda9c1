/* stream.h - one exchange in the making: text in by chunks, what may be released out.
 *
 * For every cutting of a channel into chunks the released bytes, joined, equal what pipeline_judge
 * makes of the whole channel, or are a prefix of it that ends before the finding that blocks. What
 * was released is never taken back. Held is only what some rule could still match, or whose verdict
 * words behind it could still change.
 *
 *   struct stream *s = stream_new(&options, &err);
 *   struct stream_channel *c = stream_channel(s, span_str("/choices/0/delta/content"), &err);
 *   stream_feed(s, c, w, chunk, &out);          (any number of times, any cutting)
 *   stream_end(s, c, w, STREAM_COMPLETE, &out); (the rest)
 *   stream_finish(s, w, &exchange);             (for the record)
 *
 * Like pipeline_judge these return no error, because every error is a blocking verdict: the stream
 * is then blocked, rule "filterd.unjudged", and releases nothing more. After each call ask
 * stream_action: ALLOW and REDACT mean that `out` may go on; after BLOCK nothing more is released,
 * on any channel, and what was held is gone.
 *
 * A channel's text is UTF-8, JSON escapes undone; a character may be cut anywhere. Bytes that
 * belong to no character are repaired as pipeline_judge repairs them.
 *
 * One stream is used by one thread at a time, with any worker. The stream holds its snapshot from
 * start to end: a reload does not touch it. Memory per idle channel is under 4 KiB; what is held
 * comes on top, to hold_max for each channel. */
#ifndef FILTERD_PIPELINE_STREAM_H
#define FILTERD_PIPELINE_STREAM_H

#include "base/buf.h"
#include "pipeline/worker.h"

enum { STREAM_CHANNELS_MAX = 1024, STREAM_HOLD_MAX_DEFAULT = 256 * 1024 };

struct stream;
struct stream_channel;

struct stream_options {
    struct snapshot *snapshot;   /* the stream takes its own reference */
    const struct policy *policy; /* of the snapshot */
    struct identity who;         /* copied */
    struct exchange_id id;
    int64_t now_ns;              /* UTC */
    size_t text_max;             /* bytes over all channels; past it the stream is blocked */
    size_t hold_max;             /* bytes held in one channel; likewise */
    struct masking *masking;     /* of the conversation (struct exchange); the stream takes its own reference; NULL: none */
    bool can_wait;               /* the caller keeps what waits for the supervisor (stream_inquiry.h); otherwise a
                                    policy that lets streams wait gets what it says for failures, of all of it */
    struct system_prompt *system_prompt; /* of the request; the stream takes its own reference; NULL: unknown */
    struct budgets *budgets;     /* where its values are charged; NULL: nowhere */
    const struct decision_keys *token_keys; /* for the tokens of its findings' values; NULL: they have none */
    bool is_asked_elsewhere;     /* the caller has the whole text judged, too, and the supervisor asked about that */
    bool is_uncounted;           /* the caller counts those of its findings that it takes */
    bool is_taken_whole;         /* nobody takes what is released before the end: texts are looked at seldom, as if they came in long
                                    chunks, of which one that blocks releases nothing */
};

/* Makes what streams of the snapshot share, of its first few policies: hundreds of milliseconds that the first stream would
 * take otherwise. Any thread; streams that begin meanwhile wait for it. */
void stream_prepare(struct snapshot *snapshot);

/* NULL when memory is out. */
struct stream *stream_new(const struct stream_options *options, struct error *err);
/* One with the same options for what is judged beside the stream: its values are charged nowhere and have no tokens, and nobody is
 * asked about it. */
struct stream *stream_new_beside(const struct stream *s, struct error *err);
void stream_free(struct stream *s);

/* Finds the channel of that path, or opens it; the path is copied. NULL with LIMIT or NO_MEMORY;
 * the stream is blocked then. */
struct stream_channel *stream_channel(struct stream *s, struct span path, struct error *err);
/* Opens one of its own, whatever others have that path. */
struct stream_channel *stream_channel_apart(struct stream *s, struct span path, struct error *err);

void stream_feed(struct stream *s, struct stream_channel *c, struct worker *w, struct span chunk,
                 struct buf *out);

/* How a channel ended. What could have become a finding is redacted when the text was cut off. */
enum stream_ending { STREAM_TRUNCATED, STREAM_COMPLETE };
void stream_end(struct stream *s, struct stream_channel *c, struct worker *w,
                enum stream_ending how, struct buf *out);

/* Blocks from outside: a part of the same answer that was judged elsewhere (a tool call) may not
 * leave, or could not be judged. `rule` is copied; reason is static, NULL for a rule's finding. */
void stream_block(struct stream *s, struct span rule, const char *reason);

/* The verdict so far: the strictest action over all channels. */
enum action stream_action(const struct stream *s);
/* Of a blocked stream: what to show instead. */
struct span stream_notice(const struct stream *s);
/* Bytes held now over all channels, and the most that ever were in one. */
size_t stream_held(const struct stream *s);
size_t stream_held_max(const struct stream *s);
/* Bytes taken and bytes released so far, over all channels. */
size_t stream_taken(const struct stream *s);
size_t stream_released(const struct stream *s);
/* The channel's own share of what is held: trailing bytes of its text that are not released yet. */
size_t stream_channel_held(const struct stream_channel *c);
/* The rule that holds the first of them: it could still match there. NULL when nothing is held, or is held for another
 * reason: the text could still be read differently, words behind a finding still count, a character is incomplete. */
const struct rule *stream_channel_holder(const struct stream *s, const struct stream_channel *c);

/* The exchange as judged so far, for decision_format: verdict, findings of all channels, coverage.
 * Texts are not kept: a channel's text and output have their length and no bytes (ptr is NULL), a
 * finding's value is empty. Valid until the next call with the stream. Where the policy seals originals, those parts of
 * the texts are there. */
void stream_exchange(const struct stream *s, struct exchange *out);

/* The same parts, for what is judged beside the stream to be kept with them. */
struct originals *stream_originals(struct stream *s);

#endif
