/* tls.h - the certificate of a listener, which can be replaced while it runs.
 *
 * Each handshake uses the current certificate. A replaced one is kept until handshakes that
 * may still use it have timed out. With a client CA, a connection is trusted when its peer
 * presented a certificate that the CA signed. */
#ifndef FILTERD_HTTP_TLS_H
#define FILTERD_HTTP_TLS_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#include "base/buf.h"

struct tls;

/* Loads certificate chain and key (PEM). NULL on failure. */
struct tls *tls_new(const char *certificate_path, const char *key_path, const char *client_ca_path,
                    struct error *err);
void tls_free(struct tls *t);
/* Reads the files again; on failure the old certificate remains. */
MUST_CHECK bool tls_reload(struct tls *t, struct error *err);
/* The client CA in PEM; NULL: none. */
const char *tls_client_ca(const struct tls *t);

/* Sets the only listener with TLS, because libmicrohttpd's certificate callback has no context. */
void tls_serve(struct tls *t);
int tls_choose_certificate(gnutls_session_t session, const gnutls_datum_t *authorities,
                           int n_authorities, const gnutls_pk_algorithm_t *algorithms,
                           int n_algorithms, gnutls_pcert_st **chain, unsigned int *n_chain,
                           gnutls_privkey_t *key);

/* True when the session's peer presented a certificate of the client CA. */
/* The peer's certificate is for that name (a DNS name). It says nothing of who signed it. */
bool tls_peer_has_name(gnutls_session_t session, const char *name);
bool tls_is_peer_trusted(gnutls_session_t session);

#endif
