/* origin.h - from where a request may come: which names the service answers to, and which web pages may call it.
 *
 * A browser sends what any page tells it to anywhere, also to this machine's loopback; it says so in Origin and
 * Sec-Fetch-Site. A page whose own name is made to lead to loopback (DNS rebinding) names itself in Host. So a request
 * with an Origin, or that the browser calls another site's, is refused unless that origin is listed; and a TCP listener
 * without tokens, which trusts every client that reaches it, answers to names of loopback and listed ones alone. */
#ifndef FILTERD_SERVER_ORIGIN_H
#define FILTERD_SERVER_ORIGIN_H

#include "service/request.h"

/* The options `hosts` and `origins`: comma-separated; NULL: none. */
MUST_CHECK bool origin_check_options(const struct service_options *o, struct error *err);

/* 0, 403 for a page that is not listed, or 421 for a name that is not filterd's. */
unsigned origin_check(const struct request *r);

/* The listed origin that the request names, as the browser wrote it; empty: none. */
struct span origin_listed(const struct request *r);
/* A browser asks on behalf of a listed page whether it may send a request. */
bool origin_is_preflight(const struct request *r, const char *method);

#endif
