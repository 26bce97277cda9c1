/* authority.h - the certificate authority of one jail, generated at the start and kept only in memory.
 *
 * Only the jail trusts its certificate. It signs certificates for the hosts of rules that intercept
 * TLS, a new one for each connection. Uses GnuTLS. Any thread once it is created. */
#ifndef FILTERD_JAIL_EGRESS_AUTHORITY_H
#define FILTERD_JAIL_EGRESS_AUTHORITY_H

#include <gnutls/gnutls.h>

#include "base/buf.h"
#include "jail/egress/wire/host.h"

struct egress_authority;

/* NULL with err. */
struct egress_authority *egress_authority_new(struct error *err);
void egress_authority_free(struct egress_authority *a);

/* Appends the certificate, PEM. */
MUST_CHECK bool egress_authority_print(const struct egress_authority *a, struct buf *out, struct error *err);

/* Credentials of a server of that name; the caller frees them with gnutls_certificate_free_credentials. */
MUST_CHECK bool egress_authority_vouch(struct egress_authority *a, const struct egress_host *host,
                                       gnutls_certificate_credentials_t *out, struct error *err);

#endif
