/* proxy.h - one exchange with an upstream: forwards the request, judges and delivers the answer.
 *
 *   admit (proxy_admit.c)      checks upstream, token, route and target
 *   request (proxy_request.c)  judges the body, before a byte of it goes to the upstream
 *   run (proxy_run.c)          makes the stream and its translation; passes the exchange to a reactor
 *   fetch (proxy_fetch.c)      libcurl's callbacks: feed the answer's bytes to the translation
 *   flow (proxy_flow.c)        translates the upstream's answer
 *   finish (proxy_finish.c)    ends the exchange, through the phases of proxy_phase.h
 *   inquiry (proxy_inquiry.c)  asks the supervisor
 *   deliver (proxy_deliver.c)  delivers translated bytes to the client when the record permits
 *   record (proxy_record.c)    writes open before the first byte, final or aborted before the last
 *   answer (proxy_answer.c)    libmicrohttpd's side: headers, the reader, pausing both directions
 *
 * Another program may carry request and answer in place of libcurl and libmicrohttpd (filterd/envoy, filterd/websocket): it sets `moved` after
 * proxy_admit, feeds the answer by proxy_flow_head and proxy_flow_take, ends it by proxy_finish, each followed by
 * proxy_flow_advance, and reads by proxy_answer_take. All of that happens in the reactor's thread.
 *
 * Two threads share an exchange: libmicrohttpd's, which owns the request until it is suspended and again
 * once the head is given, and the reactor's, which owns everything else. `lock` guards
 * the shared state. An exchange is reference-counted: the request, the reactor, a pending record and a pending inquiry hold
 * one reference each. */
#ifndef FILTERD_PROXY_PROXY_H
#define FILTERD_PROXY_PROXY_H

#include <microhttpd.h>

#include "prompt/survey.h"
#include "proxy/proxy_phase.h"
#include "upstream/reactor.h"
#include "service/request.h"
#include "upstream/upstream.h"

enum {
    PROXY_BACKLOG_MAX = 64 * 1024, /* unread bytes of a slow client at which the upstream is paused */
    PROXY_BACKLOG_LOW = 16 * 1024, /* and at which it is resumed; lower, to avoid frequent pauses */
    PROXY_ROOM = 40 * 1024,     /* memory of an exchange without its texts and buffers */
    PROXY_HEAD_MAX = 64 * 1024, /* of the upstream's headers */
    PROXY_HEADERS_UP = 128,
    PROXY_HEADERS_DOWN = 32,
    PROXY_DOWN_MAX = PROXY_HEADERS_DOWN * 128,
};

/* Events for the reactor; bits. */
enum proxy_event {
    PROXY_EVENT_START = 1,
    PROXY_EVENT_OPENED = 2,      /* the open record is on disk */
    PROXY_EVENT_OPEN_FAILED = 4, /* the open record cannot be written */
    PROXY_EVENT_CLOSED = 8,      /* the last record is on disk */
    PROXY_EVENT_CLOSE_FAILED = 16,
    PROXY_EVENT_DRAINED = 32, /* a slow client has caught up */
    PROXY_EVENT_LEFT = 64,    /* the request has ended */
    PROXY_EVENT_JUDGED = 128, /* the supervisor is done */
    PROXY_EVENT_HELD = 256,   /* text waits for the open record */
};

enum proxy_record { RECORD_NONE, RECORD_WAITING, RECORD_DURABLE, RECORD_FAILED };

/* How the shared buffer ends for the reader. */
enum proxy_out_end {
    OUT_OPEN,     /* more may follow */
    OUT_COMPLETE, /* nothing follows */
    OUT_BROKEN,   /* nothing follows, and the connection must be closed without a proper end */
};

/* How an answer ended, for the record and for counting. */
enum proxy_end {
    END_NONE,
    END_WHOLE,
    END_BLOCKED,
    END_UPSTREAM, /* from here to END_STATUS: the upstream's failures, which are counted */
    END_RESOLVE = END_UPSTREAM + UPSTREAM_RESOLVE,
    END_CONNECT = END_UPSTREAM + UPSTREAM_CONNECT,
    END_TLS = END_UPSTREAM + UPSTREAM_TLS,
    END_TIMEOUT = END_UPSTREAM + UPSTREAM_TIMEOUT,
    END_BROKEN = END_UPSTREAM + UPSTREAM_BROKEN,
    END_LIMIT = END_UPSTREAM + UPSTREAM_LIMIT,
    END_MALFORMED = END_UPSTREAM + UPSTREAM_MALFORMED,
    END_STATUS = END_UPSTREAM + UPSTREAM_STATUS, /* it answered with an error */
    END_CLIENT,
    END_DRAIN,
    END_RECORD,
    END_INTERNAL, /* an illegal move, see proxy_phase.h */
};
/* Whether it is a failure of the upstream; service/metrics.h has its counter and its name. */
static inline bool proxy_end_is_upstreams(enum proxy_end end)
{
    return end >= END_UPSTREAM && end < END_UPSTREAM + UPSTREAM_ERRORS;
}
/* The name in the record. */
const char *proxy_end_name(enum proxy_end end);

/* The upstream's side: the forwarded request and the received answer. */
struct proxy_up {
    enum proxy_up_phase phase;
    struct transfer transfer;
    struct curl_slist *headers;
    struct buf body;
    size_t body_at;
    bool is_error; /* its status is not 2xx */
    char type[80];
    char coding[16];
    size_t head_bytes;
    unsigned sent;        /* how often libcurl sent the request */
    uint64_t received;    /* bytes, including the head */
    uint64_t received_ns; /* time of the last bytes */
    uint64_t asked_ns, answered_ns; /* when the request was sent, when the answer's head came */
    uint64_t blocked_ns;  /* since when a blocked answer waits for its usage; 0: it does not */
};

/* The client's side: the delivered answer and its progress. */
struct proxy_down {
    enum proxy_down_phase phase;
    struct watch watch;
    int client_fd;
    bool is_streaming; /* delivered as it arrives; otherwise as a whole */
    bool waits_whole;  /* the whole answer is held for the supervisor, so that a block is a 400 */
    bool is_held;      /* text has waited for the open record */
    bool is_hard;      /* the answer is the 400 of a block */
    bool is_cut;       /* the answer cannot be ended properly */
    unsigned status;
    const char *failure; /* set: the answer is an error of the proxy, with `status` */
    struct buf headers;  /* of the upstream's: name, NUL, value, NUL */
    struct buf ids;      /* of those the ids and long numbers, one behind another */
    size_t n_headers;
    struct buf fresh; /* written, not yet given to the client */
    size_t tail_at;   /* bytes from here on wait for the last record */
    uint64_t sent, written_ns;
    uint64_t headed_ns; /* when the client got its head */
};

/* State shared by both threads, guarded by the lock. */
struct proxy_shared {
    pthread_mutex_t lock;
    struct buf out;
    size_t out_at;
    bool is_waiting;                   /* the reader has suspended the connection */
    enum proxy_out_end end;
    struct MHD_Connection *connection; /* of a streamed answer; set before it is read */
    struct MHD_Response *response;     /* likewise; lives as long as it is read */
    char receipt[RECEIPT_TEXT + 1];    /* for its trailer; empty: none */
    bool is_paused;                    /* the transfer waits for the client */
    unsigned events;
    bool is_posted;
    struct reactor_task task;
};

struct proxy {
    /* set by admission, then constant */
    atomic_uint references;
    struct service *service;
    struct upstreams *upstreams;
    const struct upstream *upstream;
    const struct protocol_route *route;
    struct traffic_row *traffic;
    enum route_use use;
    bool is_unjudged; /* the operator lets the answers of this route pass as they are */
    bool is_taken_whole; /* who carries it takes nothing of the answer before its end: there is no open record */
    struct request *request; /* only for the reactor until the head is given */
    struct exchange_id id;
    struct masking *masking; /* of the conversation: what it masks in the request, it restores in the answer; NULL: none */
    struct {
        bool is_blocked, has_line;
        bool is_unrecorded; /* the line could not be written: nothing goes to the upstream */
        bool is_changed;    /* what goes there is not what came */
        struct buf line;    /* its record, until it was given to the log */
    } judged;               /* the request */
    const struct policy *policy; /* of the request's snapshot, which the stream holds, too */
    char method[16];
    struct buf target; /* path and query, as sent */
    size_t path_len;   /* of the path in it */
    struct span path;  /* decoded, as looked up; in `names` */
    struct span type;  /* Content-Type of a body that is no JSON; empty: it is; in `names` */
    struct buf names;  /* path and identity, which outlive the request's headers */
    struct arena memory; /* of the survey */
    struct prompt_survey survey; /* of the request's body, until its exchange begins */
    bool is_json;      /* json_validate has accepted the request's body, and what took its place is JSON, too */
    struct buf user;   /* the token of the end user that the body names */
    struct identity who;
    uint64_t started_ns;
    bool counts; /* among the open ones */
    /* Of an exchange that another program carries; NULL: libcurl and libmicrohttpd do. Called in the reactor's thread when the request
     * may go to the upstream (UP_WAITING), when the answer may be fed again, and when text is ready; it only posts a task. */
    void (*moved)(struct proxy *p);
    struct reactor *reactor;

    /* the exchange: the reactor's */
    struct stream *stream;
    struct translation *translation;
    struct inquiry *inquiry; /* the current or last question to the supervisor */
    enum proxy_phase phase;
    uint64_t over_ns; /* since when it is PROXY_CLOSING or later */
    enum proxy_end end;
    enum proxy_end ending; /* how the upstream's answer ended; a question about it may be pending */
    enum proxy_record opened, closed; /* the open record; the last one, when its outcome is known */
    struct buf record;
    struct decision_receipt receipt; /* of the last record, once that is on disk */
    uint64_t room, held; /* taken from the service's memory; counted as held by the stream */

    struct proxy_up up;         /* the reactor's */
    struct proxy_down down;     /* likewise */
    struct proxy_shared shared; /* both threads' */
};

/* True when nothing more is written. */
static inline bool proxy_is_over(const struct proxy *p)
{
    return p->phase >= PROXY_CLOSING;
}

/* True while a question to the supervisor is pending. */
static inline bool proxy_is_asking(const struct proxy *p)
{
    return p->phase == PROXY_ASKING_PART || p->phase == PROXY_ASKING_TAIL || p->phase == PROXY_ASKING_LAST;
}

/* True when the upstream's head has been received. */
static inline bool proxy_has_head(const struct proxy *p)
{
    return p->up.phase >= UP_HEADED;
}

/* True when the client has its head, so that the status is final. */
static inline bool proxy_is_headed(const struct proxy *p)
{
    return p->down.phase >= DOWN_HEADED;
}

/* --- admission: libmicrohttpd's thread --- */

/* Of the body that goes to the upstream, when the policy asks for it; NULL: there is none. The caller's reference. DENIED with a
 * sentence for the client, INVALID, MALFORMED, LIMIT or NO_MEMORY. */
MUST_CHECK bool proxy_read_system_prompt(struct proxy *p, struct system_prompt **out, struct error *err);

/* True when the path is that of an upstream. The request then has a proxy, and either may continue or is refused with an
 * answer in the protocol's shape; without memory it has none, and is refused. The caller sets the route. */
bool proxy_admit(struct request *r, const char *method, const char *path);
/* The header of the upstream's key, in whose place the client's token may be; NULL: the upstream has the client's own key. */
const char *proxy_key_header(const struct proxy *p);
/* Forwards a complete request to its upstream, or refuses it. */
enum step proxy_run(struct request *r);
/* A place among the open ones, given back by proxy_unref. */
MUST_CHECK bool proxy_take_place(struct proxy *p);
/* Sets up.headers: those of the client that go to the upstream, and its credential. */
MUST_CHECK bool proxy_set_headers(struct proxy *p, const struct request *r);
/* Its parts: makes what the exchange needs (false: the request is refused, with an answer), and suspends the request, which then
 * waits for PROXY_EVENT_START. */
MUST_CHECK bool proxy_prepare(struct proxy *p, struct request *r);
void proxy_launch(struct proxy *p, struct request *r);
/* The masking of the request's conversation, once. False: there is no memory. */
MUST_CHECK bool proxy_open_masking(struct proxy *p, const struct request *r);
/* Whether the policy wants the request judged; and judges it, then forwards or refuses it. */
bool proxy_request_is_due(const struct proxy *p, const struct request *r);
enum step proxy_request_judge(struct request *r);
/* Watches the client's socket, so that a disconnect is noticed at once. */
void proxy_watch(struct proxy *p, int fd);

void proxy_unref(struct proxy *p);
/* Call it when the request has ended. Accepts NULL. */
void proxy_leave(struct proxy *p);
/* Posts an event to the reactor; any thread. */
void proxy_notify(struct proxy *p, unsigned event);

/* --- the reactor's thread --- */

/* How a connection to the upstream is made, and what a result of libcurl means. */
MUST_CHECK bool proxy_fetch_connection(CURL *easy, const struct upstream *u);
enum proxy_end proxy_fetch_end(CURLcode code);
/* The error that the client gets for each way in which an exchange can end. */
struct proxy_failure {
    enum proxy_end end;
    unsigned status;
    const char *message;
};
const struct proxy_failure *proxy_failure_of(enum proxy_end how);
MUST_CHECK bool proxy_fetch_start(struct proxy *p, struct error *err);
/* Removes the transfer in any state. */
void proxy_fetch_stop(struct proxy *p);
void proxy_fetch_resume(struct proxy *p);

/* Translates bytes of the upstream's answer; proxy_flow_advance delivers the result. */
void proxy_flow_take(struct proxy *p, struct span bytes);
/* Handles the upstream's head. */
void proxy_flow_head(struct proxy *p);
/* Ends the exchange: by itself (END_WHOLE) or not. Bytes already in `fresh` may leave before the last record.
 * Does nothing when it is over. While a question is pending, the exchange ends after its answer. */
void proxy_finish(struct proxy *p, enum proxy_end how);
/* The same at once; bytes after tail_at wait for the last record. */
void proxy_finish_tail(struct proxy *p, enum proxy_end how);
/* Replace an answer of which the client has nothing by an error of the proxy, or by the 400 of a block. */
void proxy_finish_failed(struct proxy *p, unsigned status, const char *message, enum proxy_end how);
void proxy_finish_blocked(struct proxy *p, const char *reason, enum proxy_end how);
/* Handles the outcome of the open record. */
void proxy_finish_opened(struct proxy *p, bool is_durable);
/* Handles the supervisor's answer. */
void proxy_finish_judged(struct proxy *p);
/* The service is stopping: the pending question will not be answered. */
void proxy_finish_unjudged(struct proxy *p);
/* Advances the phases until an external event is needed. Call it, or proxy_flow_advance, which calls it, after each of the
 * functions above. */
void proxy_drive(struct proxy *p);

/* Delivers to the client what it may have now. */
void proxy_flow_advance(struct proxy *p);
void proxy_flow_tick(struct proxy *p, uint64_t now_ns);
/* Handles the end of the client's connection. */
void proxy_flow_abandon(struct proxy *p);

/* Asks the supervisor about the waiting text; its answer arrives as PROXY_EVENT_JUDGED. False when there is no question, or
 * when the supervisor could not be asked: the stream has then taken the failure as the answer. */
bool proxy_inquiry_begin(struct proxy *p);
/* Passes the answer to the stream. */
void proxy_inquiry_end(struct proxy *p);
/* Passes "stopped" to the stream as the answer, because the service is stopping. */
void proxy_inquiry_give_up(struct proxy *p);

/* `is_last`: final or aborted; otherwise open, which may wait a little to be written with another. The outcome is an event. */
void proxy_record_write(struct proxy *p, bool is_last);

/* Delivers the first n bytes of `fresh`, after the head if that is not given yet. */
MUST_CHECK bool proxy_answer_give(struct proxy *p, size_t n);
/* Sets the receipt that follows the end of a streamed answer as a trailer. Before proxy_answer_complete. */
void proxy_answer_trailer(struct proxy *p, const char *receipt);
/* Ends the answer. */
void proxy_answer_complete(struct proxy *p, bool is_broken);
/* Delivers a whole answer at once: the body is in `fresh`. */
void proxy_answer_whole(struct proxy *p, unsigned status, const char *type);
size_t proxy_answer_backlog(struct proxy *p);
/* Whether the client is too far behind: the transfer is then paused, until may_resume. */
bool proxy_answer_is_full(struct proxy *p);
bool proxy_answer_may_resume(struct proxy *p);
bool proxy_answer_is_paused(struct proxy *p);
/* Of an exchange with `moved`: whether its answer may be fed; otherwise `moved` is called when it may. */
bool proxy_answer_may_feed(struct proxy *p);
/* Likewise: appends at most `max` bytes that may leave; *end is how they end, once all are taken. */
MUST_CHECK bool proxy_answer_take(struct proxy *p, size_t max, struct buf *out, enum proxy_out_end *end, struct error *err);
/* Judges a header's value of the upstream's answer: whether it comes down. */
bool proxy_header_comes_down(struct proxy *p, struct span name, struct span value);
/* Whether nothing is found in it. */
bool proxy_header_is_clean(struct proxy *p, struct span value);

/* libmicrohttpd's thread. */
struct MHD_Response *proxy_answer_response(struct proxy *p);
MUST_CHECK bool proxy_answer_headers(struct MHD_Response *response, const struct proxy *p,
                                     const struct reply *reply);

#endif
