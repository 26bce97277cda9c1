/* trace_context.h - W3C Trace Context: the headers traceparent and tracestate, read strictly and written anew.
 *
 * An id of zeros is none, as in the specification. Versions after 00 are read as version 00, whose fields they begin with, and
 * are written as it. Any thread. */
#ifndef FILTERD_FORMATS_TRACE_CONTEXT_H
#define FILTERD_FORMATS_TRACE_CONTEXT_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum {
    TRACE_ID_BYTES = 16,
    TRACE_SPAN_BYTES = 8,
    TRACE_SAMPLED = 1, /* of the flags */
    TRACE_RANDOM = 2,  /* the trace id is random */
    TRACEPARENT_TEXT = 55,
    TRACESTATE_MAX = 512,
    TRACESTATE_MEMBERS_MAX = 32,
};

struct trace_context {
    uint8_t id[TRACE_ID_BYTES];       /* of the trace; zeros: there is none */
    uint8_t parent[TRACE_SPAN_BYTES]; /* the caller's span; zeros: the trace begins here */
    uint8_t span[TRACE_SPAN_BYTES];   /* of our own, for who is called next; zeros: the caller's is passed on */
    uint8_t flags;
    bool is_recorded; /* the own span: its times are to be on record */
};

static inline bool trace_has_span(const uint8_t span[TRACE_SPAN_BYTES])
{
    static const uint8_t none[TRACE_SPAN_BYTES];

    return memcmp(span, none, sizeof(none)) != 0;
}

static inline bool trace_is_known(const struct trace_context *t)
{
    static const uint8_t none[TRACE_ID_BYTES];

    return memcmp(t->id, none, sizeof(none)) != 0;
}

/* Reads a traceparent into id, parent and flags; no other member is set. False when it is malformed. */
MUST_CHECK bool trace_parse(struct span traceparent, struct trace_context *out);
/* Begins a trace with a random id, a random span and no parent; false when the kernel has no random bytes. */
MUST_CHECK bool trace_begin(struct trace_context *out, uint8_t flags, struct error *err);
/* Gives the trace a random span of our own, unless it has one, and marks it as recorded. */
MUST_CHECK bool trace_record(struct trace_context *t, struct error *err);
/* Of what has many lines or lasts: no span of it is recorded, and one of a sampled caller is not replaced by ours. */
void trace_keep_unrecorded(struct trace_context *t);
/* The traceparent for who is called next: its parent is `span`, or `parent` where that is none. NUL-terminated. */
void trace_format(const struct trace_context *t, char text[TRACEPARENT_TEXT + 1]);
/* `n` bytes as lower-case hexadecimal digits, NUL-terminated. */
void trace_hex(const uint8_t *bytes, size_t n, char *text);

/* Whether the value is a tracestate of at most TRACESTATE_MAX bytes, with unique keys. */
bool tracestate_is_valid(struct span tracestate);

#endif
