/* stream_request.h - what callers post to open, feed and end a stream, read strictly.
 *
 * Unknown members, duplicates and wrong types are faults, which never quote the input. Memory is
 * the arena's or borrowed from the body. */
#ifndef FILTERD_HTTP_STREAM_REQUEST_H
#define FILTERD_HTTP_STREAM_REQUEST_H

#include <stdint.h>

#include "http/filter_request.h"

/* Bits: what a member belongs to. */
enum stream_body { STREAM_BODY_OPEN = 1, STREAM_BODY_CHUNK = 2, STREAM_BODY_END = 4 };

struct stream_request {
    struct span policy;  /* open: name; empty: the tenant's */
    struct identity who; /* open */
    struct span path;    /* open: of chunks that name no channel */
    struct span text;    /* chunk */
    struct span channel; /* chunk: a path; ptr is NULL when none is named */
    uint64_t sequence;   /* chunk: 0: none */
    bool is_truncated;   /* end */
};

/* The body may be empty where nothing in it is required. */
MUST_CHECK bool stream_request_read(struct arena *a, struct span body, enum stream_body kind,
                                    struct stream_request *out, struct filter_fault *fault);
/* text/plain: the body is the chunk; the names of the other members are query parameters. */
MUST_CHECK bool stream_request_set(struct stream_request *q, struct span name, struct span value,
                                   unsigned *seen, struct filter_fault *fault);

#endif
