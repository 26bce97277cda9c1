/* access.h - authentication and authorization of requests.
 *
 * The token is that of Authorization: Bearer, else X-Api-Key, else Guardrails AI's
 * X-Guardrailsai-Api-Key. Its role must be among the route's; the admin may call
 * everything. On the operators' Unix socket the peer's uid is a credential: the service's own user and root need no token.
 * Without any token configured only local addresses are listened on, and any client there may call.
 */
#ifndef FILTERD_SERVICE_ACCESS_H
#define FILTERD_SERVICE_ACCESS_H

#include "query/query.h"
#include "service/request.h"
#include "http/stream_table.h"

/* Flags of a route, next to its roles. */
enum {
    ACCESS_PERSON = 1 << 28,  /* a decision of the review: not by a token alone if passkeys are required */
    ACCESS_TENANTS = 1 << 29, /* shows callers limited to a tenant only its data; without it, the route refuses them */
    ACCESS_PAGE = 1 << 30,    /* of the review page, which authenticates by itself (page/page.h) */
};

/* 0, 401 or 403. `roles` are the route's, with the bits above; 0: no token is needed. */
unsigned access_check(const struct request *r, unsigned roles);
/* The same for a request to an upstream, which may carry the upstream's own key: filterd's token
 * comes in X-Filterd-Token. Where the client's key is replaced, it may be in that key's place:
 * in Authorization, or in the header that is named. key_header NULL: it is not replaced. */
unsigned access_check_proxy(const struct request *r, const char *key_header);
/* For what goes on behind such a request: the hash of the token that admitted it; zero: none did. */
void access_proxy_token(const struct request *r, const char *key_header, uint8_t hash[TOKEN_HASH]);
/* Whether that token still admits, after any reload. */
bool access_may_still_proxy(struct service *s, const uint8_t hash[TOKEN_HASH]);

/* What tells this caller from others: the token, else the uid at the other end of a Unix socket;
 * zero for all others. */
void access_owner(const struct request *r, struct stream_owner *owner);
/* The same for conversations: the credential that the request has, be it filterd's or its upstream's. */
void access_conversation_owner(const struct request *r, struct conversation_owner *owner);
/* The id of the conversation of a session, in `id`; empty without one. The same name of another tenant is another one. */
struct span access_conversation_id(const struct identity *who, char id[CONVERSATION_ID_MAX]);

/* Likewise as a number, for identity: that of a known token, else of the uid; 1 for all others, never 0. */
unsigned access_caller(const struct request *r);

enum { ACCESS_NAME = 80, ACCESS_TENANT = TOKEN_TENANT_MAX + 1 };

/* An authenticated caller. A name identifies a person for all means of authentication; approvals by a second person compare
 * names. Zeroed: not authenticated. */
struct caller {
    char name[ACCESS_NAME];
    unsigned roles;             /* bits of enum role */
    char tenant[ACCESS_TENANT]; /* the tenant to which they are limited; empty: all */
    const char *console, *order; /* of a decision that came as an order of a review console (review/review_order.h): its name, the order's id; NULL: none */
    enum caller_way { CALLER_NONE, CALLER_TOKEN, CALLER_SESSION, CALLER_PROXY, CALLER_UID, CALLER_PENDING } how;
};

/* False, with *out zeroed: no valid credential. Sessions are accepted only for the review page (request.h, page). */
bool access_caller_of(const struct request *r, struct caller *out);
/* Must sign in with a passkey: has one, or all people must. Their token is then only the first factor: no credential by itself for
 * those who have a passkey, and for the others none on the review page or where ACCESS_PERSON is. */
bool access_needs_passkey(struct service *s, const struct caller *c);
/* The caller of a session that is not confirmed by the passkey that it needs, as CALLER_PENDING; access_caller_of does not find them.
 * False, with *out zeroed: there is no such session. */
bool access_pending_caller(const struct request *r, struct caller *out);
/* Has one of these roles; an admin has all. */
bool caller_has(const struct caller *c, unsigned roles);
/* The role that is recorded: the least privileged of `roles` that they have, else admin. */
const char *caller_role(const struct caller *c, unsigned roles);
/* May see data of this tenant; `tenant` may be empty. */
bool caller_sees(const struct caller *c, struct span tenant);

/* Compiles a query and limits it to the caller's tenant; errors are query_compile's. Routes and pages compile queries only with
 * this function. */
struct query *access_query(const struct caller *c, struct span text, int64_t now_ns, struct error *err);

/* The answer stays on this host or is sent over TLS, as is required for keys of originals. */
bool access_is_private(const struct request *r);

/* The name for the record: of the token, else the peer's user id of a Unix socket as "uid 0", else "operator". */
void access_name(const struct request *r, char name[ACCESS_NAME]);

/* The role for the record: of the token, else "operator". */
const char *access_role(const struct request *r);

#endif
