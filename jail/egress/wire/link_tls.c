#include "jail/egress/wire/link_tls.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

struct egress_tls {
    gnutls_session_t session;
    gnutls_certificate_credentials_t own; /* of a server */
    int fd;
    char *early; /* what had come before TLS began; owned */
    size_t from, to;
};

/* What came early, then what comes. */
static ssize_t pull(gnutls_transport_ptr_t context, void *bytes, size_t n)
{
    struct egress_tls *t = context;

    if (t->from < t->to) {
        n = n < t->to - t->from ? n : t->to - t->from;
        memcpy(bytes, t->early + t->from, n);
        t->from += n;
        return (ssize_t)n;
    }
    ssize_t got = recv(t->fd, bytes, n, MSG_DONTWAIT);
    if (got < 0) {
        gnutls_transport_set_errno(t->session, errno);
    }
    return got;
}

static ssize_t push(gnutls_transport_ptr_t context, const void *bytes, size_t n)
{
    struct egress_tls *t = context;
    ssize_t sent = send(t->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent < 0) {
        gnutls_transport_set_errno(t->session, errno);
    }
    return sent;
}

static ssize_t errno_of(ssize_t code)
{
    if (code >= 0) {
        return code;
    }
    errno = code == GNUTLS_E_AGAIN ? EAGAIN : code == GNUTLS_E_INTERRUPTED ? EINTR : EPROTO;
    return -1;
}

ssize_t egress_tls_receive(struct egress_tls *t, char *bytes, size_t n)
{
    return errno_of(gnutls_record_recv(t->session, bytes, n));
}

/* A record that is partly on its way is gone on with by the same bytes: callers repeat what was not taken. */
ssize_t egress_tls_send(struct egress_tls *t, struct span bytes)
{
    return errno_of(gnutls_record_send(t->session, bytes.ptr, bytes.len));
}

short egress_tls_events(const struct egress_tls *t)
{
    return gnutls_record_get_direction(t->session) == 0 ? POLLIN : POLLOUT;
}

void egress_tls_end(struct egress_tls *t)
{
    (void)gnutls_bye(t->session, GNUTLS_SHUT_WR);
}

void egress_tls_free(struct egress_tls *t)
{
    if (t == NULL) {
        return;
    }
    if (t->session != NULL) {
        gnutls_deinit(t->session);
    }
    if (t->own != NULL) {
        gnutls_certificate_free_credentials(t->own);
    }
    free(t->early);
    free(t);
}

/* --- beginning --------------------------------------------------------------- */

static bool fail(struct error *err, ssize_t code)
{
    return error_set(err, ERROR_DENIED, "TLS: %s", gnutls_strerror((int)code));
}

static bool begin(struct egress_link *l, unsigned flags, gnutls_certificate_credentials_t credentials,
                  struct error *err)
{
    static const char protocol[] = "http/1.1";
    const gnutls_datum_t protocols = {(unsigned char *)(uintptr_t)protocol, sizeof(protocol) - 1};
    struct egress_tls *t = l->tls;
    int code = gnutls_init(&t->session, flags | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);

    code = code < 0 ? code : gnutls_priority_set_direct(t->session, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", NULL);
    code = code < 0 ? code : gnutls_credentials_set(t->session, GNUTLS_CRD_CERTIFICATE, credentials);
    code = code < 0 ? code : gnutls_alpn_set_protocols(t->session, &protocols, 1, 0);
    if (code < 0) {
        return fail(err, code);
    }
    gnutls_transport_set_ptr(t->session, t);
    gnutls_transport_set_pull_function(t->session, pull);
    gnutls_transport_set_push_function(t->session, push);
    return true;
}

static bool shake_hands(struct egress_link *l, struct error *err)
{
    for (;;) {
        int code = gnutls_handshake(l->tls->session);
        if (code == GNUTLS_E_SUCCESS) {
            return true;
        }
        if (gnutls_error_is_fatal(code)) {
            return fail(err, code);
        }
        if (code == GNUTLS_E_AGAIN && !egress_link_await(l, egress_tls_events(l->tls), err)) {
            return false;
        }
    }
}

/* Room of TLS on the link, with what has come already. */
static bool add_tls(struct egress_link *l, struct error *err)
{
    struct span pending = egress_link_pending(l);
    struct egress_tls *t = calloc(1, sizeof(*t));
    char *early = malloc(pending.len + 1);

    if (t == NULL || early == NULL) {
        free(t);
        free(early);
        return error_set(err, ERROR_NO_MEMORY, "TLS: no memory");
    }
    memcpy(early, pending.ptr, pending.len);
    *t = (struct egress_tls){.fd = l->fd, .early = early, .to = pending.len};
    egress_link_take(l, pending.len);
    l->tls = t;
    return true;
}

bool egress_link_secure_server(struct egress_link *l, gnutls_certificate_credentials_t credentials, struct error *err)
{
    if (!add_tls(l, err)) {
        gnutls_certificate_free_credentials(credentials);
        return false;
    }
    l->tls->own = credentials;
    return begin(l, GNUTLS_SERVER, credentials, err) && shake_hands(l, err);
}

bool egress_link_secure_client(struct egress_link *l, gnutls_certificate_credentials_t trust,
                               const struct egress_host *host, struct error *err)
{
    if (!add_tls(l, err) || !begin(l, GNUTLS_CLIENT, trust, err)) {
        return false;
    }
    int code = host->kind == EGRESS_HOST_NAME
                   ? gnutls_server_name_set(l->tls->session, GNUTLS_NAME_DNS, host->text, strlen(host->text))
                   : 0;
    if (code < 0) {
        return fail(err, code);
    }
    gnutls_session_set_verify_cert(l->tls->session, host->text, 0);
    return shake_hands(l, err);
}
