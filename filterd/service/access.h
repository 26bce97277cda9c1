/* access.h - may this request call that route?
 *
 * The token is that of Authorization: Bearer, else X-Api-Key. Its role must be among the route's; the admin may call
 * everything. On the operators' Unix socket the peer's uid is a credential: the service's own user and root need no token.
 * Without any token configured only local addresses are listened on, and any client there may call.
 */
#ifndef FILTERD_SERVICE_ACCESS_H
#define FILTERD_SERVICE_ACCESS_H

#include "service/request.h"
#include "http/stream_table.h"

/* 0, 401 or 403. `roles` are the route's; 0: no token is needed. */
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

enum { ACCESS_NAME = 80 };

/* Who asks, for the record: the name of the token that was shown, the user id of a Unix socket's peer as "uid 0", else
 * "operator". */
void access_name(const struct request *r, char name[ACCESS_NAME]);

/* In which role: of that token; "operator" on the operators' socket without one, and where no tokens are set up. */
const char *access_role(const struct request *r);

#endif
