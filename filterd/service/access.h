/* access.h - who calls, and may they call that route?
 *
 * The token is that of Authorization: Bearer, else X-Api-Key. Its role must be among the route's; the admin may call
 * everything. On the operators' Unix socket the peer's uid is a credential: the service's own user and root need no token.
 * Without any token configured only local addresses are listened on, and any client there may call.
 */
#ifndef FILTERD_SERVICE_ACCESS_H
#define FILTERD_SERVICE_ACCESS_H

#include "query/query.h"
#include "service/request.h"
#include "http/stream_table.h"

/* What a route says beside its roles. */
enum {
    ACCESS_TENANTS = 1 << 29, /* it shows a caller who is limited to a tenant nothing of others; without it, it refuses them */
    ACCESS_PAGE = 1 << 30,    /* of the review page, which asks who it is and what they may (page/page.h) */
};

/* 0, 401 or 403. `roles` are the route's, with the bits above; 0: no token is needed. */
unsigned access_check(const struct request *r, unsigned roles);
/* The same for a request to an upstream, which may carry the upstream's own key: filterd's token
 * comes in X-Filterd-Token. Where the client's key is replaced, it may be in that key's place:
 * in Authorization, or in the header that is named. key_header NULL: it is not replaced. */
unsigned access_check_proxy(const struct request *r, const char *key_header);

/* What tells this caller from others: the token, else the uid at the other end of a Unix socket;
 * zero for all others. */
void access_owner(const struct request *r, struct stream_owner *owner);

/* Likewise as a number, for identity: that of a known token, else of the uid; 1 for all others, never 0. */
unsigned access_caller(const struct request *r);

enum { ACCESS_NAME = 80, ACCESS_TENANT = TOKEN_TENANT_MAX + 1 };

/* One person has one name, whatever the way: four eyes are compared by it. Zeroed: nobody. */
struct caller {
    char name[ACCESS_NAME];
    unsigned roles;             /* bits of enum role */
    char tenant[ACCESS_TENANT]; /* the only one that they may see; empty: all */
    enum caller_way { CALLER_NONE, CALLER_TOKEN, CALLER_SESSION, CALLER_PROXY, CALLER_UID } how;
};

/* False, and nobody: no credential that is known. A session counts for the review page alone (request.h, page). */
bool access_caller_of(const struct request *r, struct caller *out);
/* Has one of these roles; the admin has every one. */
bool caller_has(const struct caller *c, unsigned roles);
/* In which of these roles they act, for the record: the least of those they have, else admin. */
const char *caller_role(const struct caller *c, unsigned roles);
/* May see what is of this tenant; `tenant` may be empty or have no bytes. */
bool caller_sees(const struct caller *c, struct span tenant);

/* Compiles a query and limits it to what the caller may see; errors are query_compile's. The only way in which routes and pages
 * compile one. */
struct query *access_query(const struct caller *c, struct span text, int64_t now_ns, struct error *err);

/* What is answered stays within this host, or goes by TLS: keys of originals leave no other way. */
bool access_is_private(const struct request *r);

/* Who asks, for the record: the name of the token that was shown, the user id of a Unix socket's peer as "uid 0", else
 * "operator". */
void access_name(const struct request *r, char name[ACCESS_NAME]);

/* In which role: of that token; "operator" on the operators' socket without one, and where no tokens are set up. */
const char *access_role(const struct request *r);

#endif
