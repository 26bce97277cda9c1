/* restated.h - detects requests that repeat method, path or host in a header or a parameter.
 *
 * Frameworks and gateways prefer such a header or parameter over the request line and Host, so the allowed request would not be
 * the executed one. Headers are a closed list, in any letter case and with any punctuation between their words, because CGI
 * maps '-', '_' and the like to the same variable; the list includes headers that CGI maps to those that frame a body. Any
 * thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_RESTATED_H
#define FILTERD_JAIL_EGRESS_WIRE_RESTATED_H

#include "jail/egress/wire/head.h"

/* The static name of the header: "X-HTTP-Method-Override"; NULL: none. */
const char *egress_restated_in_head(const struct egress_head *h);
/* `pairs` is a query without '?': "a=b&c=d". A parameter "method" counts only if its value names another method than the
 * request's, because parameters of that name have other uses, too. */
const char *egress_restated_in_pairs(struct span pairs, struct span method);
/* Checks a decoded form body; ignores other types. */
const char *egress_restated_in_body(const struct egress_head *h, struct span body);

#endif
