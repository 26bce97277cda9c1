/* processing_state.h - the state of a processed exchange, for the files of processing. */
#ifndef FILTERD_ENVOY_PROCESSING_STATE_H
#define FILTERD_ENVOY_PROCESSING_STATE_H

#include "envoy/process.h"
#include "envoy/processing.h"
#include "proxy/proxy.h"

enum {
    PROCESSING_FIELDS_MAX = 256,          /* headers of one message */
    PROCESSING_HEAD_MAX = 64 * 1024,      /* bytes of them */
    PROCESSING_PIECE = 64 * 1024,         /* of a body in BODY_FULL_DUPLEX */
    PROCESSING_QUEUE_MAX = 4 * PROCESSING_PIECE, /* that waits for Envoy to read, then */
};

enum processing_phase {
    PROCESSING_START,         /* the request's headers are waited for */
    PROCESSING_REQUEST,       /* its body */
    PROCESSING_JUDGING,       /* the verdict on it */
    PROCESSING_HEADERS,       /* the answer's headers */
    PROCESSING_ANSWER,        /* its body */
    PROCESSING_ENDING,        /* the answer has ended; its verdict is waited for */
    PROCESSING_TRAILERS,      /* all is said but, perhaps, to the trailers */
    PROCESSING_OVER,
};

struct processing {
    struct service *service;
    const struct listener *listener;
    struct reactor *reactor;
    struct link *link;
    struct grpc_call *call; /* NULL: closed */
    enum processing_phase phase;
    struct reactor_task task;
    struct transfer ticker; /* without a transfer: ticks until the request is judged */
    atomic_bool is_posted;
    atomic_bool is_resumed; /* request_resume was called: the request is refused, or has the head of its answer */
    bool is_waiting;        /* for that */
    bool has_started;       /* the request may go to its upstream */
    bool is_headed;         /* the answer's head has left for Envoy */
    bool is_unread;         /* a message was not taken */
    bool has_ended;         /* Envoy sends no more messages */
    bool awaits_trailers;   /* the whole body of an answer came, and was not its end */
    uint64_t modes[2];      /* of the request's and the answer's body: enum body_mode */
    enum process_part unanswered; /* the part whose message has no response yet; 0: none */
    unsigned status;        /* of the upstream */
    uint64_t opened_ns;
    struct request *request;
    struct request_source source;
    struct request_field *fields;
    struct buf head;    /* of the request, to which the fields point */
    struct buf removed; /* of the answer's head, in BODY_FULL_DUPLEX: names, each with a NUL */
    struct buf trailers; /* of the message that ended a body */
    struct buf piece;   /* of the answer, not yet sent */
    struct buf message; /* the response that is being written */
    char upstream[UPSTREAM_NAME_MAX + 1];
};

/* Makes pump run soon; any thread. */
void processing_touch(struct processing *g);

/* --- responses: processing_send.c --- */

/* Each sends a response; what cannot be sent ends the call as failed. */
void processing_send_headers(struct processing *g, enum process_part part, const struct process_changes *c);
void processing_send_body(struct processing *g, enum body_change change, struct span body);
/* The whole body, or the rest of it, and the end of its direction as Envoy's last message of it wants it. */
void processing_send_last(struct processing *g, enum process_part direction, bool is_changed, struct span body);
void processing_send_trailers(struct processing *g, enum process_part part, struct span trailers);
void processing_send_piece(struct processing *g, enum process_part part, struct span body);
/* The answer that the request has. */
void processing_send_immediate(struct processing *g);
/* An answer of ours; the exchange is over. */
void processing_refuse(struct processing *g, unsigned status, const char *detail);
/* Ends the call so that Envoy fails the exchange. */
void processing_fail(struct processing *g, enum grpc_status status);

/* --- the request's side: processing_request.c --- */

bool processing_request_headers(struct processing *g, const struct process_message *m);
bool processing_request_body(struct processing *g, const struct process_message *m);
bool processing_request_trailers(struct processing *g, const struct process_message *m);
/* Sends the judged request on. */
void processing_request_go(struct processing *g);

/* --- the answer's side: processing_answer.c --- */

bool processing_answer_headers(struct processing *g, const struct process_message *m);
bool processing_answer_body(struct processing *g, const struct process_message *m);
bool processing_answer_trailers(struct processing *g, const struct process_message *m);
/* Sends what may leave. */
void processing_answer_go(struct processing *g);

#endif
