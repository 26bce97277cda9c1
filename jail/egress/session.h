/* session.h - one connection from the jail: one request, or one tunnel, from accept to close.
 *
 * A connection carries one request, and the response closes it: bytes after a request are never
 * parsed as another one, so no request can be smuggled past the judged one. One thread each. */
#ifndef FILTERD_JAIL_EGRESS_SESSION_H
#define FILTERD_JAIL_EGRESS_SESSION_H

#include "base/uuid.h"
#include "jail/egress/account.h"
#include "jail/egress/attempt.h"
#include "jail/egress/authority.h"
#include "jail/egress/wire/body.h"
#include "jail/egress/wire/memory.h"
#include "jail/egress/canary.h"
#include "jail/egress/judge.h"
#include "jail/egress/secrets.h"
#include "jail/egress/target.h"

/* Shared by all sessions. */
struct egress_service {
    struct egress_policy *policy;
    struct egress_account *accounts; /* one for each rule */
    struct egress_account dns;
    struct egress_secrets secrets;
    struct egress_judge *judge; /* NULL: no rule judges */
    struct egress_authority *authority;      /* NULL: no rule intercepts TLS */
    gnutls_certificate_credentials_t *trust; /* for each rule; NULL where none is needed */
    struct egress_canary canary; /* must not leave */
    struct egress_log log;
    struct egress_memory memory; /* bodies of sessions */
    struct egress_caller caller; /* for filterd's proxy */
    char session[UUID_TEXT + 1];
    int cut; /* an eventfd: readable when all connections must end at once; -1: none */
};

struct egress_session {
    struct egress_service *service;
    struct egress_link client, upstream;
    struct buf head_text;     /* of the request; the head points into it */
    struct buf response_text; /* likewise */
    struct egress_head head, response;
    struct egress_target target;
    const struct egress_rule *rule;
    struct egress_account *account;
    struct buf body, decoded; /* of the judged message */
    struct buf stripped;      /* a response without its findings */
    size_t body_max;          /* as long as the rule lets the body be; its buffer's limit is what it holds of the service's memory */
    struct egress_attempt attempt;
    bool is_out_of_memory; /* limits.memory left too little for a body */
    bool is_answered; /* a status was sent to the client */
    bool is_recorded;
    bool is_stripped; /* findings were removed from the response */
    bool is_captured; /* the client does not know of the proxy */
};

/* Takes the connection over, serves it and closes it. The local name (getsockname) of a captured connection is its original
 * destination; it begins with a TLS hello or with a request in origin form. */
void egress_session_run(struct egress_service *service, int fd, bool is_captured);
/* Refuses and records the connection: too many at once. */
void egress_session_refuse(struct egress_service *service, int fd);

/* --- for the parts: session, capture, tunnel, exchange, response ------------ */

enum egress_problem {
    EGRESS_BAD_REQUEST,
    EGRESS_BAD_HEAD, /* too long */
    EGRESS_TIME,
    EGRESS_RESTATED,
    EGRESS_NOT_ALLOWED, /* the reason is that of egress_policy_find */
    EGRESS_RATE,
    EGRESS_ADDRESS,
    EGRESS_RESOLVE,
    EGRESS_CONNECT,
    EGRESS_CREDENTIAL,
    EGRESS_FILTER,
    EGRESS_CANARY,
    EGRESS_SIZE,
    EGRESS_CODING,
    EGRESS_BUDGET,
    EGRESS_HELLO,
    EGRESS_TLS,
    EGRESS_RESPONSE,
    EGRESS_TRANSFER,
    EGRESS_RECORD,
    EGRESS_BUSY,
};

/* Returns false. Notes the outcome; if no status was sent yet, records it and answers with a problem (RFC 9457). */
bool egress_session_fail(struct egress_session *s, enum egress_problem problem, const char *detail);
/* The same for an error of a link: time, budget, malformed input, or transfer. */
bool egress_session_fail_link(struct egress_session *s, const struct error *err);

/* Reads s->head. */
MUST_CHECK bool egress_session_take_head(struct egress_session *s, struct error *err);
/* Checks the rule for s->target, its rate and the record's health, and notes them. A tunnel that will be intercepted does not
 * count as a request yet. */
MUST_CHECK bool egress_session_admit(struct egress_session *s);
/* Writes the line of a request or tunnel that begins, then resolves and connects s->upstream, with TLS if the tunnel was
 * intercepted. */
MUST_CHECK bool egress_session_dial(struct egress_session *s);

/* Reads a whole body into s->body. False with LIMIT also when there is no memory for it: is_out_of_memory. */
MUST_CHECK bool egress_session_take_body(struct egress_session *s, struct egress_link *from, struct egress_body *body, size_t max,
                                         struct error *err);
/* Other bodies take the memory. Returns false. */
bool egress_session_fail_memory(struct egress_session *s);
/* Extends the connection's deadline to the policy's total. */
void egress_session_begin(struct egress_session *s);
/* Notes the target, for the record. */
void egress_session_note(struct egress_session *s, struct span target_text);
/* Reads the name in the client's hello, which stays pending. */
MUST_CHECK bool egress_session_read_hello(struct egress_session *s, struct egress_host *host);

MUST_CHECK bool egress_capture(struct egress_session *s);
MUST_CHECK bool egress_exchange(struct egress_session *s, struct span target_text);
MUST_CHECK bool egress_response(struct egress_session *s);
MUST_CHECK bool egress_tunnel(struct egress_session *s);

/* Moves a body piece by piece to sink until it is complete. */
typedef bool egress_sink(void *context, struct span data, struct error *err);
MUST_CHECK bool egress_body_move(struct egress_link *from, struct egress_body *body, egress_sink *sink, void *context,
                                 struct error *err);
egress_sink egress_sink_link;   /* context: struct egress_link; unchanged */
egress_sink egress_sink_chunks; /* context: struct egress_link; one chunk per piece */

/* Decodes `body` into s->decoded if it is encoded. */
MUST_CHECK bool egress_session_decode(struct egress_session *s, struct egress_message *m, size_t max);
/* The same, and judges the whole message. */
MUST_CHECK bool egress_session_judge(struct egress_session *s, struct egress_message *m, size_t max,
                                     struct egress_verdict *out);

#endif
