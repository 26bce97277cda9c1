/* send_syslog.c - batches over TLS (RFC 5425), by GnuTLS.
 *
 * Syslog has no acknowledgement: what was written to a connection may be lost in the receiver's buffers. So a connection
 * carries one batch and is closed for writing (close_notify), and the batch counts as sent when the receiver has closed its
 * side in turn: it has then read to the end. A reset, a timeout or any error means that the batch is sent again. */
#include <errno.h>
#include <gnutls/x509.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "ship/send.h"

enum { WAIT_MS = 200 };

struct syslog {
    const struct ship_sink *sink;
    const atomic_bool *stop;
    gnutls_certificate_credentials_t credentials;
};

/* One connection. */
struct link {
    const struct syslog *syslog;
    gnutls_session_t session;
    int fd;
    int64_t deadline_ms;
    enum ship_result result; /* of a failure */
    struct error *err;
};

static void syslog_close(void *state)
{
    struct syslog *s = state;

    if (s->credentials != NULL) {
        gnutls_certificate_free_credentials(s->credentials);
    }
    free(s);
}

static int load(struct syslog *s)
{
    const struct ship_sink *sink = s->sink;
    int code = gnutls_certificate_allocate_credentials(&s->credentials);

    if (code >= 0) {
        code = sink->ca == NULL ? gnutls_certificate_set_x509_system_trust(s->credentials)
                                : gnutls_certificate_set_x509_trust_file(s->credentials, sink->ca, GNUTLS_X509_FMT_PEM);
    }
    if (code >= 0 && sink->certificate != NULL) {
        code = gnutls_certificate_set_x509_key_file(s->credentials, sink->certificate, sink->key, GNUTLS_X509_FMT_PEM);
    }
    return code;
}

static void *syslog_open(const struct ship_sink *sink, const char *media_type, const atomic_bool *stop, struct error *err)
{
    struct syslog *s = calloc(1, sizeof(*s));

    (void)media_type;
    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "sink " SPAN_FMT ": no memory", SPAN_ARG(sink->name));
        return NULL;
    }
    *s = (struct syslog){.sink = sink, .stop = stop};
    int code = load(s);
    if (code < 0) {
        error_set(err, ERROR_INVALID, "sink " SPAN_FMT ": certificates: %s", SPAN_ARG(sink->name), gnutls_strerror(code));
        syslog_close(s);
        return NULL;
    }
    return s;
}

/* --- one connection -------------------------------------------------------------------- */

static bool fail(struct link *l, enum ship_result result, const char *what)
{
    l->result = result;
    return error_set(l->err, ERROR_SYSTEM, "sink " SPAN_FMT ": %s", SPAN_ARG(l->syslog->sink->name), what);
}

static bool fail_tls(struct link *l, ssize_t code)
{
    bool is_refused = code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR || code == GNUTLS_E_CERTIFICATE_ERROR ||
                      code == GNUTLS_E_CERTIFICATE_REQUIRED || code == GNUTLS_E_FATAL_ALERT_RECEIVED;

    return fail(l, is_refused ? SHIP_REFUSED : SHIP_UNREACHABLE, gnutls_strerror((int)code));
}

/* Until the socket is ready for it. */
static bool await(struct link *l, short events)
{
    while (!atomic_load(l->syslog->stop)) {
        struct pollfd p = {.fd = l->fd, .events = events};
        int64_t left = l->deadline_ms - clock_monotonic_ms();
        int n = left <= 0 ? 0 : poll(&p, 1, left < WAIT_MS ? (int)left : WAIT_MS);
        if (n > 0) {
            return true;
        }
        if (left <= 0 || (n < 0 && errno != EINTR)) {
            break;
        }
    }
    return fail(l, SHIP_TIMEOUT, "no answer in time");
}

static bool await_tls(struct link *l)
{
    return await(l, gnutls_record_get_direction(l->session) == 0 ? POLLIN : POLLOUT);
}

static bool connect_to(struct link *l, const struct addrinfo *a)
{
    int code = 0;
    socklen_t len = sizeof(code);

    l->fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (l->fd < 0) {
        return fail(l, SHIP_FAILED, "no socket");
    }
    if (connect(l->fd, a->ai_addr, a->ai_addrlen) == 0) {
        return true;
    }
    if (errno == EINPROGRESS && await(l, POLLOUT) && getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &code, &len) == 0 && code == 0) {
        return true;
    }
    (void)close(l->fd);
    l->fd = -1;
    return fail(l, SHIP_UNREACHABLE, "cannot connect");
}

static bool connect_any(struct link *l)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const struct ship_sink *sink = l->syslog->sink;
    struct addrinfo *all = NULL;
    bool is_connected = false;

    if (getaddrinfo(sink->syslog.host, sink->syslog.port, &hints, &all) != 0) {
        return fail(l, SHIP_UNREACHABLE, "the host's address is not known");
    }
    for (const struct addrinfo *a = all; a != NULL && !is_connected; a = a->ai_next) {
        is_connected = connect_to(l, a);
    }
    freeaddrinfo(all);
    return is_connected;
}

static bool is_address(const char *host)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *a = NULL;
    bool is_numeric = getaddrinfo(host, NULL, &hints, &a) == 0;

    if (is_numeric) {
        freeaddrinfo(a);
    }
    return is_numeric;
}

static bool begin_tls(struct link *l)
{
    const struct ship_sink *sink = l->syslog->sink;
    const char *host = sink->syslog.host;
    int code = gnutls_init(&l->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);

    code = code < 0 ? code : gnutls_priority_set_direct(l->session, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", NULL);
    code = code < 0 ? code : gnutls_credentials_set(l->session, GNUTLS_CRD_CERTIFICATE, l->syslog->credentials);
    if (code >= 0 && !is_address(host)) {
        code = gnutls_server_name_set(l->session, GNUTLS_NAME_DNS, host, strlen(host));
    }
    if (code < 0) {
        return fail_tls(l, code);
    }
    gnutls_session_set_verify_cert(l->session, host, 0);
    gnutls_transport_set_int(l->session, l->fd);
    do {
        code = gnutls_handshake(l->session);
        if (code == GNUTLS_E_AGAIN && !await_tls(l)) {
            return false;
        }
    } while (code < 0 && !gnutls_error_is_fatal(code));
    return code >= 0 || fail_tls(l, code);
}

static bool write_all(struct link *l, struct span body)
{
    while (body.len > 0) {
        ssize_t n = gnutls_record_send(l->session, body.ptr, body.len);
        if (n > 0) {
            body = span_slice(body, (size_t)n, body.len);
        } else if (n == GNUTLS_E_AGAIN ? !await_tls(l) : gnutls_error_is_fatal((int)n) && !fail_tls(l, n)) {
            return false;
        }
    }
    return true;
}

/* The receiver has read all when it closes its side in turn. It says so by close_notify or, as rsyslog does, by an end of
 * the connection; TLS 1.3 brings tickets before. A refusal of our certificate comes here in TLS 1.3, too. */
static bool await_end(struct link *l)
{
    char dropped[4096];
    ssize_t n = gnutls_bye(l->session, GNUTLS_SHUT_WR);

    while (n == GNUTLS_E_AGAIN) {
        if (!await_tls(l)) {
            return false;
        }
        n = gnutls_bye(l->session, GNUTLS_SHUT_WR);
    }
    if (n < 0 || shutdown(l->fd, SHUT_WR) != 0) {
        return fail(l, SHIP_UNREACHABLE, "the connection broke");
    }
    do {
        n = gnutls_record_recv(l->session, dropped, sizeof(dropped));
        if (n == GNUTLS_E_AGAIN && !await_tls(l)) {
            return false;
        }
    } while (n > 0 || (n < 0 && !gnutls_error_is_fatal((int)n)));
    return n == 0 || n == GNUTLS_E_PREMATURE_TERMINATION || fail_tls(l, n);
}

static enum ship_result syslog_send(void *state, struct span body, struct ship_answer *answer, struct error *err)
{
    const struct syslog *s = state;
    struct link l = {.syslog = s, .fd = -1, .deadline_ms = clock_monotonic_ms() + s->sink->timeout, .err = err};

    (void)answer;
    bool is_sent = connect_any(&l) && begin_tls(&l) && write_all(&l, body) && await_end(&l);
    if (l.session != NULL) {
        gnutls_deinit(l.session);
    }
    cleanup_fd(&l.fd);
    return is_sent ? SHIP_SENT : l.result;
}

const struct ship_transport ship_syslog = {syslog_open, syslog_send, syslog_close};
