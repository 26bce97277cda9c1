/* stream_state.h - what a stream is made of; for stream*.c alone. */
#ifndef FILTERD_PIPELINE_STREAM_STATE_H
#define FILTERD_PIPELINE_STREAM_STATE_H

#include "judge/originals.h"
#include "pipeline/stream_channel.h"
#include "pipeline/stream_inquiry.h"

enum { STREAM_REPLACEMENTS_MAX = 8 };

struct stream {
    struct arena memory; /* paths, identity: to the end */
    struct stream_options options;
    struct stream_window window;
    uint64_t *patterns;
    struct span replacements[STREAM_REPLACEMENTS_MAX];
    char mask[STREAM_REPLACEMENTS_MAX][4];
    struct stream_channel **channels;
    struct channel *shown; /* as stream_exchange shows them */
    size_t n_channels, channels_cap;
    struct finding *findings;
    size_t n_findings, findings_cap;
    struct originals originals;
    struct finding leader; /* the finding that decided so far */
    bool has_leader;
    enum action action;
    struct span rule, notice;
    const char *reason;
    struct stream_inquiry *inquiry; /* NULL: no supervisor is asked about it */
    size_t held_max;
};

/* What has left of the channel. */
size_t stream_channel_released(const struct stream_channel *c);

/* Copies the text to where it lasts as long as the stream. */
MUST_CHECK bool stream_keep(struct stream *s, struct span *text, struct error *err);

#endif
