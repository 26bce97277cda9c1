#include "service/open_stream.h"

#include <sodium.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/locked_pages.h"
#include "base/log.h"
#include "base/uuid.h"
#include "disclosure/system_prompt.h"
#include "service/sealing.h"
#include "service/admission.h"
#include "pipeline/pipeline.h"
#include "judge/originals.h"
#include "pipeline/stream_inquiry.h"

enum {
    STREAM_ROOM = 16 * 1024, /* of a stream that holds nothing, but for its system prompt */
    ANSWER_MAX = 1024 * 1024 * 1024,
};

static bool make_channel(struct open_stream *o, struct span path, struct error *err)
{
    struct open_channel *grown =
        realloc(o->channels, (o->n_channels + 1) * sizeof(struct open_channel));

    if (grown == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "streams: no memory");
    }
    o->channels = grown;
    struct open_channel channel = {.channel = stream_channel(o->stream, path, err),
                                   .path = strndup(path.len == 0 ? "" : path.ptr, path.len)};
    if (channel.channel == NULL || channel.path == NULL) {
        free(channel.path);
        return error_set(err, ERROR_NO_MEMORY, "streams: no memory");
    }
    buf_init_text(&channel.kept, ANSWER_MAX);
    if (o->masking != NULL) {
        channel.restorer = malloc(sizeof(*channel.restorer));
        if (channel.restorer == NULL) {
            free(channel.path);
            return error_set(err, ERROR_NO_MEMORY, "streams: no memory");
        }
        restorer_init(channel.restorer, o->masking, RESTORE_GUESS, o->withheld);
    }
    o->channels[o->n_channels++] = channel;
    return true;
}

struct open_stream *open_stream_new(struct service *s, const struct stream_options *options,
                                    struct span path, struct error *err)
{
    size_t room = STREAM_ROOM + system_prompt_size(options->system_prompt);

    if (!service_hold(s, room)) {
        error_set(err, ERROR_LIMIT, "streams: no room");
        return NULL;
    }
    struct open_stream *o = calloc(1, sizeof(*o));
    if (o == NULL) {
        service_release(s, room);
        error_set(err, ERROR_NO_MEMORY, "streams: no memory");
        return NULL;
    }
    o->service = s;
    o->held = o->room = room;
    o->id = options->id;
    o->snapshot = snapshot_ref(options->snapshot);
    o->masking = options->masking != NULL ? masking_ref(options->masking) : NULL;
    o->withheld = options->policy->withheld;
    buf_init_text(&o->answer, ANSWER_MAX);
    o->stream = stream_new(options, err);
    if (o->stream == NULL || !make_channel(o, path, err)) {
        open_stream_free(o);
        return NULL;
    }
    return o;
}

void open_stream_free(struct open_stream *o)
{
    if (o == NULL) {
        return;
    }
    for (size_t i = 0; i < o->n_channels; i++) {
        free(o->channels[i].path);
        buf_deinit(&o->channels[i].kept);
        if (o->channels[i].restorer != NULL) {
            restorer_deinit(o->channels[i].restorer);
            free(o->channels[i].restorer);
        }
    }
    free(o->channels);
    masking_unref(o->masking);
    stream_free(o->stream);
    snapshot_unref(o->snapshot);
    buf_deinit(&o->answer);
    service_release(o->service, o->held);
    free(o);
}

bool open_stream_has_room(struct open_stream *o, size_t len)
{
    if (!service_hold(o->service, len)) {
        return false;
    }
    o->held += len;
    return true;
}

static struct open_channel *find_channel(const struct open_stream *o, struct span path)
{
    if (path.ptr == NULL) {
        return &o->channels[0];
    }
    for (size_t i = 0; i < o->n_channels; i++) {
        if (span_is(path, o->channels[i].path)) {
            return &o->channels[i];
        }
    }
    return NULL;
}

bool open_stream_has_channel(const struct open_stream *o, struct span path)
{
    return find_channel(o, path) != NULL;
}

bool open_stream_may_show(struct worker *w, const struct exchange *x, struct span path)
{
    struct channel channel = {.text = path, .is_member_name = true};
    struct exchange y = {.snapshot = x->snapshot,
                         .policy = x->policy,
                         .who = x->who,
                         .now_ns = x->now_ns,
                         .channels = &channel,
                         .n_channels = 1,
                         .is_part = true};

    (void)worker_begin(w);
    pipeline_judge(w, &y);
    return y.action == ACTION_ALLOW;
}

struct open_channel *open_stream_channel(struct open_stream *o, struct span path)
{
    struct open_channel *found = find_channel(o, path);
    struct error err;

    if (found != NULL) {
        return found;
    }
    if (!make_channel(o, path, &err)) {
        stream_block(o->stream, span_str("filterd.unjudged"), "limit reached");
        return NULL;
    }
    return &o->channels[o->n_channels - 1];
}

/* What the stream released goes on restored. */
static void keep(struct open_stream *o, struct open_channel *c, struct span released, bool is_last)
{
    struct error err;

    if (stream_action(o->stream) != ACTION_BLOCK && !restorer_feed(c->restorer, released, is_last, &c->kept, &err)) {
        stream_block(o->stream, span_str("filterd.unjudged"), "the answer could not be restored");
    }
}

void open_stream_feed(struct open_stream *o, struct open_channel *c, struct worker *w, struct span text)
{
    struct buf released CLEANUP(buf_deinit);

    buf_init(&released, ANSWER_MAX);
    stream_feed(o->stream, c->channel, w, text, c->restorer != NULL ? &released : &c->kept);
    if (c->restorer != NULL) {
        keep(o, c, buf_span(&released), false);
    }
}

void open_stream_finish(struct open_stream *o, struct open_channel *c, struct worker *w, enum stream_ending how)
{
    struct buf released CLEANUP(buf_deinit);

    buf_init(&released, ANSWER_MAX);
    stream_end(o->stream, c->channel, w, how, c->restorer != NULL ? &released : &c->kept);
    if (c->restorer != NULL) {
        keep(o, c, buf_span(&released), true);
    }
}

void open_stream_restored(const struct open_stream *o, struct restore_counts *out)
{
    *out = (struct restore_counts){0};
    for (size_t i = 0; i < o->n_channels && o->masking != NULL; i++) {
        const struct restore_counts *counts = &o->channels[i].restorer->counts;
        out->restored += counts->restored;
        out->withheld += counts->withheld;
        out->unknown += counts->unknown;
    }
}

void open_stream_settle(struct open_stream *o)
{
    uint64_t need = o->room + stream_held(o->stream) + stream_question_room(o->stream) + o->answer.cap +
                    stream_originals(o->stream)->bytes;

    for (size_t i = 0; i < o->n_channels; i++) {
        need += o->channels[i].kept.cap + (o->masking != NULL ? sizeof(struct restorer) : 0);
    }
    if (need < o->held) {
        service_release(o->service, o->held - need);
        o->held = need;
    } else if (service_hold(o->service, need - o->held)) {
        o->held = need;
    }
}

static void digest_chunk(struct span path, struct span text, uint8_t digest[OPEN_STREAM_DIGEST])
{
    uint64_t len = path.len;
    crypto_generichash_state state;

    (void)crypto_generichash_init(&state, NULL, 0, OPEN_STREAM_DIGEST);
    (void)crypto_generichash_update(&state, (const uint8_t *)&len, sizeof(len));
    (void)crypto_generichash_update(&state, (const uint8_t *)path.ptr, path.len);
    (void)crypto_generichash_update(&state, (const uint8_t *)text.ptr, text.len);
    (void)crypto_generichash_final(&state, digest, OPEN_STREAM_DIGEST);
}

void open_stream_owe(struct open_stream *o, uint64_t sequence, struct span path, struct span text)
{
    o->is_owing = true;
    o->owed = sequence;
    digest_chunk(path, text, o->owed_digest);
}

bool open_stream_owes(const struct open_stream *o, uint64_t sequence, struct span path, struct span text)
{
    uint8_t digest[OPEN_STREAM_DIGEST];

    if (!o->is_owing || sequence != o->owed) {
        return false;
    }
    digest_chunk(path, text, digest);
    return sequence > 0 || memcmp(digest, o->owed_digest, sizeof(digest)) == 0;
}

void open_stream_keep_answer(struct open_stream *o, uint64_t sequence, struct span answer)
{
    struct error err;

    o->is_owing = false;
    buf_clear(&o->answer);
    o->sequence = sequence;
    if (sequence == 0 || answer.len < o->answer.cap / 4) {
        buf_deinit(&o->answer);
    }
    if (sequence > 0 && !buf_append(&o->answer, answer, &err)) {
        buf_clear(&o->answer); /* that chunk cannot be sent again then */
    }
}

bool open_stream_record(const struct open_stream *o, enum open_stream_moment moment,
                        struct buf *line, struct error *err)
{
    static const struct {
        const char *phase, *end;
    } texts[] = {
        [OPEN_STREAM_BEGUN] = {"open", NULL},
        [OPEN_STREAM_WHOLE] = {"final", "whole"},
        [OPEN_STREAM_CUT] = {"final", "truncated"},
        [OPEN_STREAM_LEFT] = {"aborted", "expired"},
    };
    const struct decision_stream stream = {
        .phase = texts[moment].phase,
        .end = texts[moment].end,
        .protocol = "",
        .bytes_from = stream_taken(o->stream),
        .bytes_to = stream_released(o->stream),
        .hold_max = stream_held_max(o->stream),
    };
    struct exchange x;
    struct sealed_note note;

    stream_exchange(o->stream, &x);
    open_stream_restored(o, &x.restored);
    if (moment != OPEN_STREAM_BEGUN) {
        sealing_apply_stream(o->service, &x, &note);
    }
    return decision_format_stream(&x, &stream, token_keys_at(o->service->token_keys, x.now_ns), o->elapsed_ns, line,
                                  err);
}

/* No caller waits for this record: the stream was abandoned. */
void open_stream_expire(void *context, struct stream_entry *e)
{
    struct open_stream *o = (struct open_stream *)(void *)e;
    struct service *s = context;
    struct exchange x;
    struct buf record;
    struct error err;

    buf_init(&record, DECISION_RECORD_MAX);
    admission_count_stream(s, o->stream, &x);
    if (!open_stream_record(o, OPEN_STREAM_LEFT, &record, &err) ||
        !decision_log_append(s->log, buf_span(&record), NULL, NULL, &err)) {
        log_error("streams: one that was given up could not be recorded: %s", err.text);
    }
    (void)atomic_fetch_add(&s->metrics.streams_expired, 1);
    buf_deinit(&record);
    open_stream_free(o);
}
