/* target.h - the destination of a proxy request (RFC 9112, 3.2). Any thread. */
#ifndef FILTERD_JAIL_EGRESS_TARGET_H
#define FILTERD_JAIL_EGRESS_TARGET_H

#include "jail/egress/wire/head.h"
#include "jail/egress/policy.h"

enum { EGRESS_PORT_HTTP = 80, EGRESS_PORT_HTTPS = 443 };

/* Parses "host:port", or "host", which leaves *port unchanged; an IPv6 address is in brackets. */
MUST_CHECK bool egress_authority_read(struct span text, struct egress_host *host, uint16_t *port, struct error *err);

/* Parses absolute form with http, or CONNECT with a port; Host must name the same target. *target_text is the path with its
 * query, checked; empty for CONNECT. INVALID or MALFORMED, without quoting input. */
MUST_CHECK bool egress_target_read(const struct egress_head *head, struct egress_target *out,
                                   struct span *target_text, struct error *err);

/* Parses a request inside an intercepted tunnel: origin form, and Host of the same target. */
MUST_CHECK bool egress_target_read_inside(const struct egress_head *head, const struct egress_target *tunnel,
                                          struct egress_target *out, struct span *target_text, struct error *err);

#endif
