/* session.h - the state of a session, for the files of websocket.
 *
 * Two threads share a session: libmicrohttpd's until the client's connection is upgraded, and the reactor's. `lock` guards
 * `upgraded`; `events` are atomic. References: the request's and the reactor's, and one while a task is posted. */
#ifndef FILTERD_WEBSOCKET_SESSION_H
#define FILTERD_WEBSOCKET_SESSION_H

#include "protocol/wire/successive.h"
#include "proxy/proxy.h"
#include "websocket/event.h"
#include "websocket/frames.h"
#include "websocket/handshake.h"
#include "websocket/turn.h"
#include "websocket/websocket.h"

enum {
    SESSION_ROOM = 128 * 1024,  /* memory of a session without messages and turns */
    SESSION_QUEUE = 256 * 1024, /* bytes queued for one side at which nothing more is read from the other */
    SESSION_INBOX = 64 * 1024,  /* bytes of messages that wait to be handled at which no more is read */
    SESSION_TURNS = 16,
    SESSION_FIELDS = 64,
    SESSION_HEAD = 32 * 1024, /* bytes of the client's headers */
    SESSION_ID = 128,         /* of a response */
    SESSION_RATE = 500,       /* messages of a client in a second; more wait */
};

enum session_phase {
    SESSION_DIALING, /* libcurl connects to the upstream */
    SESSION_SHAKING, /* the upstream's answer to the handshake is waited for */
    SESSION_AGREED,  /* the client's connection is being upgraded */
    SESSION_OPEN,
    SESSION_CLOSING, /* a close was sent to the client */
    SESSION_OVER,
};

enum session_event { SESSION_START = 1, SESSION_UPGRADED = 2, SESSION_LEFT = 4, SESSION_TOUCHED = 8, SESSION_TICKED = 16 };

/* One of the two connections. */
struct side {
    struct watch watch; /* first */
    struct websocket *session;
    struct frames *frames;
    int fd;
    uint32_t polled;
    struct buf early; /* bytes that came with the handshake */
    size_t early_at;
    struct buf inbox; /* messages, each behind its length */
    bool has_ended;   /* nothing more can be received */
    uint64_t received_ns;
};

struct slot {
    struct turn *turn; /* NULL: free */
    char response[SESSION_ID + 1];
    bool is_alone;
    bool is_abandoned; /* freed as soon as it can be */
};

/* An event of the client that waits for the record of its judgement. */
struct sent {
    struct buf body;
    atomic_int outcome; /* enum proxy_record */
    bool is_waiting, is_refused, is_unreadable;
};

struct websocket {
    atomic_uint references;
    struct service *service;
    struct proxy *proxy; /* of the handshake: upstream, identity, masking; never launched */
    struct request *request; /* until it is resumed */
    const struct listener *listener;
    enum event_api api;
    unsigned caller;
    uint8_t token[TOKEN_HASH]; /* that admitted the handshake */
    struct reactor *reactor;
    struct transfer transfer; /* first libcurl's connection to the upstream, then ticks */
    struct reactor_task task;
    atomic_uint events;
    atomic_bool is_posted;

    struct buf head; /* what the fields point to */
    struct request_field fields[SESSION_FIELDS];
    size_t n_fields;
    struct span subprotocols;
    char accept[HANDSHAKE_ACCEPT + 1]; /* for the client */
    char expected[HANDSHAKE_ACCEPT + 1]; /* from the upstream */
    char subprotocol[HANDSHAKE_PROTOCOL_MAX + 1];

    pthread_mutex_t lock;
    struct MHD_UpgradeResponseHandle *upgraded; /* NULL: not yet, or the request has ended */

    enum session_phase phase;
    struct side client, upstream;
    struct slot slots[SESSION_TURNS];
    bool is_skipping; /* the rest of a response that was blocked is dropped */
    char cut_off[SESSION_ID + 1]; /* the last response of Realtime of which that is so */
    size_t left_out; /* bytes, without white space, of other events of the upstream that were dropped */
    struct places places; /* what events outside responses left: they are read in a row */
    const char *fault; /* why nothing more of the upstream is taken; NULL: it is */
    struct sent sent;
    uint64_t since_ns;  /* of the phase */
    uint64_t pinged_ns, checked_ns;
    unsigned n_taken; /* messages of the client since checked_ns */
};

/* Any thread. */
void websocket_notify(struct websocket *w, unsigned event);
void websocket_unref(struct websocket *w);

/* --- the reactor's thread --- */

void websocket_open(struct websocket *w);
void websocket_pump(struct websocket *w);
/* A tick of the reactor must end no other transfer, so that only a task runs this. */
void websocket_tick(struct websocket *w);
/* The events of a side's socket. */
void websocket_ready(struct watch *watch, uint32_t events);
/* Closes both sides; `reason` is for the client. */
void websocket_close(struct websocket *w, unsigned code, const char *reason);
/* At once. */
void websocket_end(struct websocket *w);
/* An event with an error for the client. */
void websocket_error(struct websocket *w, unsigned status, const char *message);
/* The same for an event of the client that is blocked. */
void websocket_blocked(struct websocket *w, struct span notice);

/* side.c: callbacks of frames, with the side as context. */
ssize_t side_receive_client(void *side, char *out, size_t max);
ssize_t side_send_client(void *side, struct span bytes, bool has_more);
ssize_t side_receive_upstream(void *side, char *out, size_t max);
ssize_t side_send_upstream(void *side, struct span bytes, bool has_more);
/* Whether no more is read before messages of its inbox were handled. */
bool side_is_held_up(const struct side *s);
void side_set_no_delay(int fd);

/* dial.c: begins to connect; sends the handshake, and reads the answer. */
void dial_start(struct websocket *w);
void dial_connected(struct websocket *w, CURLcode code);
void dial_ready(struct websocket *w);
void dial_fail(struct websocket *w, unsigned status, const char *message, enum proxy_end how);

/* answers.c: takes an event of the upstream; false: not now. */
bool answers_take(struct websocket *w, struct span message);
/* Begins a response for an event of the client. False: not now. */
bool answers_ask(struct websocket *w, struct span message);
/* Lets turns deliver, and frees those that are over. Whether one of them may be fed from now on. */
bool answers_pump(struct websocket *w);
void answers_break_off(struct websocket *w);
void answers_abandon(struct websocket *w);
bool answers_has_turns(const struct websocket *w);

/* sent.c: takes an event of the client; false: not now. */
bool sent_take(struct websocket *w, struct span message);
/* Sends what has waited for its record. */
void sent_pump(struct websocket *w);
/* A line with what the upstream sent that no other line has, if there was something. */
void sent_record_left_out(struct websocket *w);

#endif
