/* open_stream.h - one stream of a caller that is not behind the proxy, from its first record to its
 * last.
 *
 * It lives between requests, in the service's table; each request that uses it has it alone. Its
 * memory is set aside as that of requests is (service_hold). */
#ifndef FILTERD_SERVICE_OPEN_STREAM_H
#define FILTERD_SERVICE_OPEN_STREAM_H

#include "service/service.h"
#include "http/stream_table.h"
#include "pipeline/stream.h"

enum { OPEN_STREAM_DIGEST = 32 };

struct open_channel {
    struct stream_channel *channel;
    char *path;      /* NUL-terminated */
    struct buf kept; /* released by the rules; waits for the supervisor */
    struct restorer *restorer; /* NULL: nothing is restored */
};

struct open_stream {
    struct stream_entry entry; /* first */
    struct service *service;
    struct snapshot *snapshot;
    struct stream *stream;
    struct masking *masking; /* of the conversation whose values are restored; NULL: none */
    unsigned withheld;       /* bit per category: values that are not restored */
    struct exchange_id id;
    struct open_channel *channels; /* in order of their first chunk; the first is the default */
    size_t n_channels;
    bool has_ended;            /* its end was sent, and while the stream is here, not answered */
    enum stream_ending ending; /* what that end said */
    uint64_t sequence;         /* of the last chunk; 0: it had none */
    struct buf answer;         /* to that chunk, should it be sent again */
    bool is_owing;             /* the last chunk was taken and not answered: this one */
    uint64_t owed;
    uint8_t owed_digest[OPEN_STREAM_DIGEST];
    uint64_t held;             /* of the service's memory */
    uint64_t room;             /* of a stream that holds nothing */
    uint64_t elapsed_ns;       /* spent on it so far */
};

/* Bytes that may yet become a pseudonym. */
static inline size_t open_channel_held(const struct open_channel *c)
{
    return c->restorer != NULL ? c->restorer->n_held : 0;
}

/* NULL with LIMIT when there is no room, else with what went wrong. Not in the table yet.
 * options->snapshot is referenced; `path` is the default channel's. */
struct open_stream *open_stream_new(struct service *s, const struct stream_options *options,
                                    struct span path, struct error *err);
/* Without a record. Accepts NULL. */
void open_stream_free(struct open_stream *o);

/* Sets room aside for a chunk, before anything is done with it. */
MUST_CHECK bool open_stream_has_room(struct open_stream *o, size_t len);
/* Whether the stream has a channel of that path; true for a path whose ptr is NULL. */
bool open_stream_has_channel(const struct open_stream *o, struct span path);
/* The channel of that path; the default one for a path whose ptr is NULL. NULL: the stream is
 * blocked now. */
struct open_channel *open_stream_channel(struct open_stream *o, struct span path);
/* Judges a chunk of the channel; what may be released is added to `kept`, with values in place of pseudonyms. */
void open_stream_feed(struct open_stream *o, struct open_channel *c, struct worker *w, struct span text);
/* The same for the end of the channel. */
void open_stream_finish(struct open_stream *o, struct open_channel *c, struct worker *w, enum stream_ending how);
/* What was restored so far, over all channels. */
void open_stream_restored(const struct open_stream *o, struct restore_counts *out);
/* Counts what it holds now. */
void open_stream_settle(struct open_stream *o);
/* A chunk was taken and waits for its answer, which it may never get: then it is sent again, and open_stream_owes. One
 * without a number is known by its channel and text. */
void open_stream_owe(struct open_stream *o, uint64_t sequence, struct span path, struct span text);
bool open_stream_owes(const struct open_stream *o, uint64_t sequence, struct span path, struct span text);
/* Keeps a copy of the answer to the chunk of that number; 0: forgets the last. Nothing is owed then. */
void open_stream_keep_answer(struct open_stream *o, uint64_t sequence, struct span answer);

/* A path is shown and recorded, so it must not hold what a rule of the policy acts on. `x` gives
 * policy and identity. */
bool open_stream_may_show(struct worker *w, const struct exchange *x, struct span path);

/* Where in its life a stream is recorded. */
enum open_stream_moment { OPEN_STREAM_BEGUN, OPEN_STREAM_WHOLE, OPEN_STREAM_CUT, OPEN_STREAM_LEFT };
/* Formats its record, in place of what the line holds. */
MUST_CHECK bool open_stream_record(const struct open_stream *o, enum open_stream_moment moment,
                                   struct buf *line, struct error *err);

/* For stream_table_options: records that it was given up, and frees it. `context` is the service.
 */
void open_stream_expire(void *context, struct stream_entry *e);

#endif
