/* request.h - one HTTP request from its headers to the end of its answer.
 *
 * A request belongs to one thread at a time: libmicrohttpd's until a route suspends it, then
 * the code that was given it, until request_resume. Its buffers are kept for the next request while they
 * are small. */
#ifndef FILTERD_SERVICE_REQUEST_H
#define FILTERD_SERVICE_REQUEST_H

#include <microhttpd.h>

#include "http/filter_answer.h"
#include "record/receipt.h"
#include "service/service.h"

struct listener;
struct route;
struct contract;
struct batch;
struct work;
struct open_stream;
struct proxy;
struct inquiry;
struct protocol;
struct head_lines;
struct websocket;

/* What a route did with a request. After SUSPENDED the request is another thread's: not to be
 * looked at. */
enum step { STEP_ANSWERED, STEP_SUSPENDED, STEP_MORE };

struct reply {
    unsigned status; /* 0: none yet */
    const char *type;
    const char *cache;     /* Cache-Control; NULL: none */
    const char *allow;     /* of 405 */
    bool has_verdict;      /* show Filterd-Action, -Rule, -Id */
    bool closes;           /* the connection cannot be used again */
    struct spool *content; /* in place of the answer buffer */
    bool has_file;         /* `file` is in place of it, open, of that size; closed with the answer */
    int file;
    uint64_t file_size;
    const char *attachment; /* name of the file that a browser saves; NULL: none */
    bool is_stream;        /* the proxy's, as it comes; likewise */
    unsigned retry_s;      /* Retry-After; 0: none */
    unsigned node;         /* Filterd-Node: whose stream it is; 0: none */
    bool is_preflight;     /* what a listed origin's page may send */
    bool forbids_retry;    /* a block must not be asked for again */
    size_t n_forwarded;    /* headers of the upstream that come down */
};

enum { REQUEST_PARAMETER_MAX = 256 };

/* Of a request that libmicrohttpd did not read (filterd/envoy): its head, and what continues it. */
struct request_field {
    struct span name, value;
};
struct request_source {
    const struct request_field *fields;
    size_t n_fields;
    struct span query;       /* as sent, without the question mark */
    struct reactor *reactor; /* that owns it: the exchange with its upstream belongs there */
    unsigned caller;         /* of access_caller: its connection was authenticated */
    void (*resume)(struct request *r); /* any thread */
};

struct request {
    struct service *service;
    const struct listener *listener;
    struct MHD_Connection *connection;
    const struct request_source *source; /* NULL: libmicrohttpd's; otherwise there is no connection */
    const struct route
        *route; /* never NULL after request_admit; stands for "no route" if refused */
    const struct contract *contract; /* whose errors are those of a product; NULL: problem details, or the protocol's */
    struct buf body, answer, record;
    struct reply reply;
    bool is_refused; /* answered already; the rest of the body is read and dropped */
    bool is_plain_in, is_plain_out;
    bool is_suspended;
    unsigned caller; /* of identity */
    struct trace_context trace; /* read by request_read_trace */
    uint64_t started_ns, received_ns; /* headers; last byte of the body */
    uint64_t body_max, received_max;  /* bytes kept at once; bytes in all, dropped ones included */
    uint64_t received, held;
    uint64_t announced; /* bytes of the body, by Content-Length; 0: it does not say */
    struct snapshot *snapshot;
    struct filter_outcome outcome;
    struct decision_receipt receipt;
    char receipt_text[RECEIPT_TEXT + 1]; /* of the answer; empty: none */
    char etag[TREE_HASH_TEXT + 3];          /* of the answer, with its quotes; empty: none */
    struct batch *batch;
    char parameter[REQUEST_PARAMETER_MAX + 1]; /* of the path, NUL-terminated */
    struct open_stream *stream;                /* taken by this request; NULL: none */
    const struct work *work;                   /* how it is judged and answered */
    struct inquiry *inquiry;                   /* NULL: the supervisor need not be asked */
    struct proxy *proxy;                       /* NULL: no request for an upstream */
    struct websocket *websocket;               /* NULL: it is not upgraded */
    const struct protocol *protocol;           /* of that upstream: errors take its shape */
    struct head_lines *head;                   /* of the review page alone, owned */
    struct job job;
    struct request *next; /* among the spare */
};

/* NULL when memory is out. */
struct request *request_take(struct service *s, const struct listener *l,
                             struct MHD_Connection *connection);
/* Without a proxy: that is left before (proxy.h). */
void request_give_back(struct request *r);
void request_free_spare(struct service *s);

/* Appends to the body; on a limit the request is refused and the rest of the body dropped. False
 * when the connection is to be closed: the client sends without end. */
MUST_CHECK bool request_receive(struct request *r, struct span bytes);

/* From here on the answer is at most 16 MiB and 32 times the body, below what it was before: for answers that list what was found in
 * their own request. A writer that reaches it fails with ERROR_LIMIT. */
void request_limit_answer(struct request *r);

/* An answer to a body stays until its client has read it, however slowly: it counts like bodies do. False when there is no room; the
 * answer is a 503 then. */
bool request_hold_answer(struct request *r);

/* The value of a request header; empty when it is missing. Borrowed from the connection or the source. */
struct span request_header(const struct request *r, const char *name);

/* Sets r->trace from the header traceparent. A malformed one is replaced by a new trace; without one the rate decides whether a
 * trace begins. A span is recorded for a sampled trace when spans are on. */
void request_read_trace(struct request *r);
/* From its head to its body to now. */
struct exchange_times request_times(const struct request *r);

/* Sets the answer to an error: in the shape of r->protocol where that is set, as the upstream's clients read no other;
 * else RFC 9457's problem+json, of which alone `pointer` is a part; NULL: none. `detail` is a sentence of ours, never the
 * input. */
void request_problem(struct request *r, unsigned status, const char *detail, const char *pointer);
void request_overload(struct request *r, const char *detail);

/* The answer's head gets the receipt of r->receipt, where there is one. */
void request_show_receipt(struct request *r);

/* The connection waits until request_resume, from any thread. Only inside libmicrohttpd's
 * callbacks, or in the thread of the source. */
void request_suspend(struct request *r);
void request_resume(struct request *r);

#endif
