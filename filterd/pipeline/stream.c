#include "pipeline/stream.h"

#include <stdlib.h>

#include "judge/decide.h"
#include "pipeline/pipeline.h"

enum { FINDINGS_KEPT = 256, PATH_MAX_BYTES = 1024, RULE_MAX = 128 };

struct stream_channel {
    struct span path;
    struct buf text;
    size_t taken, released;
    bool has_ended;
};

struct stream {
    struct arena memory; /* paths, identity, findings: to the end */
    struct stream_options options;
    struct stream_channel *channels[STREAM_CHANNELS_MAX];
    struct channel *shown;
    size_t n_channels;
    struct finding findings[FINDINGS_KEPT];
    size_t n_findings;
    enum action action;
    struct span rule, notice;
    const char *reason;
    size_t held_max;
};

static bool copy(struct arena *a, struct span *text, struct error *err)
{
    char *bytes = arena_alloc(a, text->len + 1, err);

    if (bytes == NULL) {
        return false;
    }
    if (text->len > 0) {
        memcpy(bytes, text->ptr, text->len);
    }
    *text = span_of(bytes, text->len);
    return true;
}

struct stream *stream_new(const struct stream_options *options, struct error *err)
{
    struct stream *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "stream: no memory");
        return NULL;
    }
    arena_init(&s->memory, 0, 16 * 1024 * 1024);
    s->options = *options;
    s->options.snapshot = snapshot_ref(options->snapshot);
    s->action = ACTION_ALLOW;
    struct identity *who = &s->options.who;
    if (!copy(&s->memory, &who->tenant, err) || !copy(&s->memory, &who->app, err) ||
        !copy(&s->memory, &who->route, err) || !copy(&s->memory, &who->agent, err) ||
        !copy(&s->memory, &who->session, err)) {
        stream_free(s);
        return NULL;
    }
    return s;
}

void stream_free(struct stream *s)
{
    if (s == NULL) {
        return;
    }
    for (size_t i = 0; i < s->n_channels; i++) {
        buf_deinit(&s->channels[i]->text);
        free(s->channels[i]);
    }
    free(s->shown);
    snapshot_unref(s->options.snapshot);
    arena_deinit(&s->memory);
    free(s);
}

void stream_block(struct stream *s, struct span rule, const char *reason)
{
    struct error err;

    if (s->action == ACTION_BLOCK) {
        return;
    }
    s->action = ACTION_BLOCK;
    s->rule = copy(&s->memory, &rule, &err) ? rule : span_str("filterd.unjudged");
    s->reason = reason;
    s->notice = s->options.policy->notice;
    for (size_t i = 0; i < s->n_channels; i++) {
        buf_deinit(&s->channels[i]->text);
    }
}

struct stream_channel *stream_channel(struct stream *s, struct span path, struct error *err)
{
    for (size_t i = 0; i < s->n_channels; i++) {
        if (span_equal(s->channels[i]->path, path)) {
            return s->channels[i];
        }
    }
    struct stream_channel *c = s->n_channels < STREAM_CHANNELS_MAX ? calloc(1, sizeof(*c)) : NULL;
    if (c == NULL || path.len > PATH_MAX_BYTES || !copy(&s->memory, &path, err)) {
        free(c);
        stream_block(s, span_str("filterd.unjudged"), "limit reached");
        error_set(err, ERROR_LIMIT, "stream: more than %d channels", STREAM_CHANNELS_MAX);
        return NULL;
    }
    c->path = path;
    buf_init(&c->text, s->options.hold_max);
    s->channels[s->n_channels++] = c;
    return c;
}

void stream_feed(struct stream *s, struct stream_channel *c, struct worker *w, struct span chunk,
                 struct buf *out)
{
    struct error err;

    (void)w;
    (void)out;
    if (s->action == ACTION_BLOCK) {
        return;
    }
    c->taken += chunk.len;
    if (stream_taken(s) > s->options.text_max || !buf_append(&c->text, chunk, &err)) {
        stream_block(s, span_str("filterd.unjudged"), "limit reached");
    }
    s->held_max = c->text.len > s->held_max ? c->text.len : s->held_max;
}

static void keep_findings(struct stream *s, const struct exchange *x, uint32_t channel)
{
    for (size_t i = 0; i < x->n_findings && s->n_findings < FINDINGS_KEPT; i++) {
        struct finding f = x->findings[i];
        f.channel = channel;
        f.value = (struct span){0};
        s->findings[s->n_findings++] = f;
    }
}

void stream_end(struct stream *s, struct stream_channel *c, struct worker *w,
                enum stream_ending how, struct buf *out)
{
    struct error err;

    (void)how;
    if (s->action == ACTION_BLOCK || c->has_ended) {
        return;
    }
    (void)worker_begin(w);
    c->has_ended = true;
    struct channel channel = {.path = c->path, .text = buf_span(&c->text)};
    struct exchange x = {.snapshot = s->options.snapshot,
                         .policy = s->options.policy,
                         .who = s->options.who,
                         .id = s->options.id,
                         .now_ns = s->options.now_ns,
                         .channels = &channel,
                         .n_channels = 1};
    pipeline_judge(w, &x);
    for (uint32_t i = 0; i < s->n_channels; i++) {
        if (s->channels[i] == c) {
            keep_findings(s, &x, i);
        }
    }
    if (x.action == ACTION_BLOCK) {
        stream_block(s, x.rule, x.unjudged_reason);
        return;
    }
    if (x.action == ACTION_REDACT && s->action == ACTION_ALLOW) {
        s->action = ACTION_REDACT;
        s->rule = x.rule;
    }
    if (!buf_append(out, channel.output, &err)) {
        stream_block(s, span_str("filterd.unjudged"), "out of memory");
        return;
    }
    c->released = channel.output.len;
    buf_clear(&c->text);
}

enum action stream_action(const struct stream *s)
{
    return s->action;
}

struct span stream_notice(const struct stream *s)
{
    return s->notice;
}

size_t stream_channel_held(const struct stream_channel *c)
{
    return c->text.len;
}

size_t stream_held(const struct stream *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_channels; i++) {
        n += s->channels[i]->text.len;
    }
    return n;
}

size_t stream_held_max(const struct stream *s)
{
    return s->held_max;
}

size_t stream_taken(const struct stream *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_channels; i++) {
        n += s->channels[i]->taken;
    }
    return n;
}

size_t stream_released(const struct stream *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_channels; i++) {
        n += s->channels[i]->released;
    }
    return n;
}

void stream_exchange(const struct stream *s, struct exchange *out)
{
    *out = (struct exchange){.snapshot = s->options.snapshot,
                             .policy = s->options.policy,
                             .who = s->options.who,
                             .id = s->options.id,
                             .now_ns = s->options.now_ns,
                             .channels = s->shown,
                             .n_channels = 0,
                             .action = s->action,
                             .rule = s->rule,
                             .notice = s->notice,
                             .unjudged_reason = s->reason};
}
