/* restated.h - detects requests that repeat method, path or host in a header or a parameter.
 *
 * Frameworks and gateways prefer such a header or parameter over the request line and Host, so the allowed request would not be
 * the executed one. A header that CGI makes the same as one of those that frame a body is among them. Headers are a closed list, in any letter case, whatever is between their words, as CGI makes '-', '_' and
 * the like the same. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_RESTATED_H
#define FILTERD_JAIL_EGRESS_WIRE_RESTATED_H

#include "jail/egress/wire/head.h"

/* The static name of what says it: "X-HTTP-Method-Override"; NULL: nothing does. */
const char *egress_restated_in_head(const struct egress_head *h);
/* `pairs` is a query without '?': "a=b&c=d". A parameter "method" restates only as the name of another method than the
 * request's; other things have that name, too. */
const char *egress_restated_in_pairs(struct span pairs, struct span method);
/* In a form, with its codings undone; of other types nothing. */
const char *egress_restated_in_body(const struct egress_head *h, struct span body);

#endif
