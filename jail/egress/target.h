/* target.h - the destination of a proxy request (RFC 9112, 3.2). Any thread. */
#ifndef FILTERD_JAIL_EGRESS_TARGET_H
#define FILTERD_JAIL_EGRESS_TARGET_H

#include "jail/egress/wire/head.h"
#include "jail/egress/policy.h"

enum { EGRESS_PORT_HTTP = 80, EGRESS_PORT_HTTPS = 443 };

/* "host:port", or "host" with `port` as it is; an IPv6 address in brackets. */
MUST_CHECK bool egress_authority_read(struct span text, struct egress_host *host, uint16_t *port, struct error *err);

/* Absolute form with http, or CONNECT with a port; Host must name the same place. *target_text is the path with its
 * query, checked; empty for CONNECT. INVALID or MALFORMED, quoting nothing. */
MUST_CHECK bool egress_target_read(const struct egress_head *head, struct egress_target *out,
                                   struct span *target_text, struct error *err);

/* A request inside a tunnel that was opened: origin form, and Host of the same place. */
MUST_CHECK bool egress_target_read_inside(const struct egress_head *head, const struct egress_target *tunnel,
                                          struct egress_target *out, struct span *target_text, struct error *err);

#endif
