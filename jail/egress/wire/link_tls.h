/* link_tls.h - TLS on a link: both sides of an intercepted tunnel (RFC 8446, RFC 5246), by GnuTLS.
 *
 * 1.2 and 1.3, and HTTP/1.1 as the only protocol offered. What follows on the link is plain to its users. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_LINK_TLS_H
#define FILTERD_JAIL_EGRESS_WIRE_LINK_TLS_H

#include <gnutls/gnutls.h>

#include "jail/egress/wire/host.h"
#include "jail/egress/wire/link.h"

/* Takes the credentials over, also on failure. The bytes that are pending are the beginning of the client's hello. */
MUST_CHECK bool egress_link_secure_server(struct egress_link *l, gnutls_certificate_credentials_t credentials,
                                          struct error *err);
/* `trust` is borrowed, as long as the link lives. The other side's certificate must be good for the host. */
MUST_CHECK bool egress_link_secure_client(struct egress_link *l, gnutls_certificate_credentials_t trust,
                                          const struct egress_host *host, struct error *err);

/* --- for link.c alone -------------------------------------------------------- */

/* As recv and send without waiting: -1 with errno EAGAIN when egress_tls_events must be waited for first. */
ssize_t egress_tls_receive(struct egress_tls *t, char *bytes, size_t n);
ssize_t egress_tls_send(struct egress_tls *t, struct span bytes);
short egress_tls_events(const struct egress_tls *t);
/* Says goodbye, so that the other side knows that nothing was cut off. */
void egress_tls_end(struct egress_tls *t);
void egress_tls_free(struct egress_tls *t);

#endif
