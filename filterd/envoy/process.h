/* process.h - the messages of Envoy's external processing, envoy.service.ext_proc.v3.ExternalProcessor/Process.
 *
 * Envoy sends a ProcessingRequest for each part of an HTTP exchange and takes a ProcessingResponse for it. Field numbers are
 * those of the published API. A known field that occurs twice is malformed, because only one of the two would be judged;
 * unknown fields are ignored, as Envoy adds some. Pure. */
#ifndef FILTERD_ENVOY_PROCESS_H
#define FILTERD_ENVOY_PROCESS_H

#include "envoy/wire.h"

/* The field of a ProcessingRequest; zero: none of them. */
enum process_part {
    PROCESS_REQUEST_HEADERS = 2,
    PROCESS_RESPONSE_HEADERS = 3,
    PROCESS_REQUEST_BODY = 4,
    PROCESS_RESPONSE_BODY = 5,
    PROCESS_REQUEST_TRAILERS = 6,
    PROCESS_RESPONSE_TRAILERS = 7,
};

/* How Envoy sends a body. */
enum body_mode { BODY_NOT_SENT, BODY_STREAMED, BODY_BUFFERED, BODY_BUFFERED_PARTIAL, BODY_FULL_DUPLEX, BODY_GRPC };

struct process_message {
    enum process_part part;
    bool is_observed;             /* Envoy waits for no response and heeds none */
    bool has_modes;               /* in the first message of newer versions */
    uint64_t request_mode, response_mode; /* enum body_mode, or a newer one */
    struct span headers;          /* of headers and trailers: a HeaderMap */
    struct span body;
    bool is_last;                 /* nothing of this direction follows but trailers */
    bool is_compressed;           /* by gRPC: not readable here */
};

/* Spans are borrowed from the message. False: MALFORMED. */
MUST_CHECK bool process_read(struct span message, struct process_message *out, struct error *err);

struct process_header {
    struct span name, value;
};
/* Takes the next header from the front of *rest. */
enum wire_step process_next_header(struct span *rest, struct process_header *out);

/* Changes of headers. */
struct process_changes {
    const struct process_header *set;
    size_t n_set;
    const struct span *removed;
    size_t n_removed;
};

/* What is done with a body. */
enum body_change {
    CHANGE_NONE,     /* it is forwarded unchanged */
    CHANGE_REPLACED, /* by `body`, which may be empty */
    CHANGE_STREAMED, /* of BODY_FULL_DUPLEX: `body` is the next piece */
};

/* Each appends one ProcessingResponse. */
MUST_CHECK bool process_put_headers(struct buf *out, enum process_part part, const struct process_changes *c, struct error *err);
MUST_CHECK bool process_put_body(struct buf *out, enum process_part part, enum body_change change, struct span body, bool is_last,
                                 struct error *err);
/* With all those trailers removed. */
MUST_CHECK bool process_put_trailers(struct buf *out, enum process_part part, struct span trailers, struct error *err);
/* An answer in place of the upstream's; once its head has left, Envoy breaks the client's connection off instead. */
MUST_CHECK bool process_put_immediate(struct buf *out, unsigned status, const struct process_changes *c, struct span body,
                                      struct error *err);

#endif
