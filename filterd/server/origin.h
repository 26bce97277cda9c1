/* origin.h - checks the Host and Origin of requests: permitted names of the service, and permitted web pages.
 *
 * A browser sends any request that a page makes, also to this machine's loopback, and marks it with Origin and
 * Sec-Fetch-Site. A page whose own name resolves to loopback (DNS rebinding) sends that name in Host. A request
 * with an Origin, or one marked as cross-site, is therefore refused unless that origin is listed; and a TCP listener
 * without tokens, which trusts every client that reaches it, accepts only names of loopback and listed ones. */
#ifndef FILTERD_SERVER_ORIGIN_H
#define FILTERD_SERVER_ORIGIN_H

#include "service/request.h"

/* The options `hosts` and `origins`: comma-separated; NULL: none. */
MUST_CHECK bool origin_check_options(const struct service_options *o, struct error *err);

/* 0, 403 for a page that is not listed, or 421 for a name that is not filterd's. */
unsigned origin_check(const struct request *r);

/* The listed origin of the request, verbatim; empty: none. */
struct span origin_listed(const struct request *r);
/* True for a CORS preflight of a listed page. */
bool origin_is_preflight(const struct request *r, const char *method);

#endif
