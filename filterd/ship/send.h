/* send.h - sends a batch to a sink: HTTP, syslog over TLS, a file.
 *
 * ship_send returns SENT when the receiver has acknowledged the batch: a status 2xx; a TLS connection that the receiver has
 * read to its end and closed; a synced file. Nothing else is an acknowledgement. Errors name the sink's host or file, never a
 * secret or a receiver's text. A sender belongs to one thread; *stop aborts an active request within 200 ms. */
#ifndef FILTERD_SHIP_SEND_H
#define FILTERD_SHIP_SEND_H

#include <stdatomic.h>

#include "ship/config.h"

enum ship_result {
    SHIP_SENT,
    SHIP_TOO_LARGE,   /* 413: fewer lines may do */
    SHIP_OVERLOADED,  /* 429, 502, 503, 504 */
    SHIP_REFUSED,     /* another status, a certificate that is not accepted */
    SHIP_UNREACHABLE, /* no connection, or it broke */
    SHIP_TIMEOUT,
    SHIP_FAILED, /* ours: a file, memory */
    SHIP_RESULTS
};
/* As metrics call it. */
const char *ship_result_name(enum ship_result result);

struct ship_answer {
    int64_t retry_after_ms; /* 0: it did not say */
    uint64_t n_rejected;    /* records that an OTLP receiver took no part of, and wants no second time */
};

struct ship_sender;
/* The sink outlives it; no connection is made. NULL on failure. */
struct ship_sender *ship_sender_new(const struct ship_sink *sink, const char *media_type, const atomic_bool *stop,
                                    struct error *err);
void ship_sender_free(struct ship_sender *s); /* accepts NULL */
enum ship_result ship_send(struct ship_sender *s, struct span body, struct ship_answer *answer, struct error *err);

/* The three transports; for send.c. */
struct ship_transport {
    void *(*open)(const struct ship_sink *sink, const char *media_type, const atomic_bool *stop, struct error *err);
    enum ship_result (*send)(void *state, struct span body, struct ship_answer *answer, struct error *err);
    void (*close)(void *state);
};
extern const struct ship_transport ship_http, ship_syslog, ship_file;

/* What an OTLP receiver answered: rejectedLogRecords or rejectedSpans of partialSuccess. 0 when it is not there. */
uint64_t ship_otlp_rejected(struct span answer);

#endif
