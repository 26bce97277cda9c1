/* link_tls.h - TLS on a link: both sides of an intercepted tunnel (RFC 8446, RFC 5246), by GnuTLS.
 *
 * Supports 1.2 and 1.3, and offers only HTTP/1.1. Users of the link then read and write plain text. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_LINK_TLS_H
#define FILTERD_JAIL_EGRESS_WIRE_LINK_TLS_H

#include <gnutls/gnutls.h>

#include "jail/egress/wire/host.h"
#include "jail/egress/wire/link.h"

/* Takes the credentials over, also on failure. Pending bytes are the beginning of the client's hello. */
MUST_CHECK bool egress_link_secure_server(struct egress_link *l, gnutls_certificate_credentials_t credentials,
                                          struct error *err);
/* Borrows `trust` for the life of the link. The peer's certificate must be valid for the host. */
MUST_CHECK bool egress_link_secure_client(struct egress_link *l, gnutls_certificate_credentials_t trust,
                                          const struct egress_host *host, struct error *err);

/* --- only for link.c --------------------------------------------------------- */

/* Like non-blocking recv and send: -1 with errno EAGAIN when the caller must wait for egress_tls_events first. */
ssize_t egress_tls_receive(struct egress_tls *t, char *bytes, size_t n);
ssize_t egress_tls_send(struct egress_tls *t, struct span bytes);
short egress_tls_events(const struct egress_tls *t);
/* Sends close_notify, so that the peer can detect a truncation. */
void egress_tls_end(struct egress_tls *t);
void egress_tls_free(struct egress_tls *t);

#endif
