/* stream_request.h - parses the requests that open, feed and end a stream, strictly.
 *
 * Unknown members, duplicates and wrong types are faults, which never quote the input. Memory is
 * the arena's or borrowed from the body. */
#ifndef FILTERD_HTTP_STREAM_REQUEST_H
#define FILTERD_HTTP_STREAM_REQUEST_H

#include <stdint.h>

#include "http/filter_request.h"

/* Bits: the bodies that have a member. */
enum stream_body { STREAM_BODY_OPEN = 1, STREAM_BODY_CHUNK = 2, STREAM_BODY_END = 4 };

struct stream_request {
    struct span policy;  /* open: name; empty: the tenant's */
    struct identity who; /* open */
    struct request_context context; /* open */
    struct span restore; /* open: handle of a conversation; ptr is NULL: none */
    struct span path;    /* open: for chunks without a channel */
    struct span text;    /* chunk */
    struct span channel; /* chunk: a path; ptr is NULL: none */
    uint64_t sequence;   /* chunk: 0: none */
    bool is_truncated;   /* end */
};

/* The body may be empty if it has no required member. */
MUST_CHECK bool stream_request_read(struct arena *a, struct span body, enum stream_body kind,
                                    struct stream_request *out, struct filter_fault *fault);
/* text/plain: the body is the chunk; the other members are query parameters. */
MUST_CHECK bool stream_request_set(struct stream_request *q, struct span name, struct span value,
                                   unsigned *seen, struct filter_fault *fault);

#endif
