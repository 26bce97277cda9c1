/* tunnel.c - CONNECT: a TLS connection to the host that its hello names, passed through or intercepted. */
#include <sys/socket.h>

#include "jail/egress/wire/client_hello.h"
#include "jail/egress/wire/link_tls.h"
#include "jail/egress/session.h"

bool egress_session_read_hello(struct egress_session *s, struct egress_host *host)
{
    struct error err = {0};
    bool is_whole = false;

    for (;;) {
        if (!egress_client_hello_read(egress_link_pending(&s->client), &is_whole, host, &err)) {
            return egress_session_fail(s, EGRESS_HELLO, err.text);
        }
        if (is_whole) {
            return true;
        }
        if (s->client.is_ended) {
            return egress_session_fail(s, EGRESS_HELLO, "a whole client hello expected");
        }
        if (!egress_link_fill(&s->client, &err)) {
            return egress_session_fail_link(s, &err);
        }
    }
}

/* What has come on one side goes to the other; so does the end. */
static bool pass_on(struct egress_link *from, struct egress_link *to, bool *is_closed, struct error *err)
{
    struct span pending = egress_link_pending(from);

    if (pending.len > 0) {
        if (!egress_link_send(to, pending, err)) {
            return false;
        }
        egress_link_take(from, pending.len);
    }
    if (from->is_ended && !*is_closed) {
        *is_closed = true;
        (void)shutdown(to->fd, SHUT_WR);
    }
    return true;
}

static bool relay(struct egress_session *s, struct error *err)
{
    bool is_out_closed = false, is_in_closed = false;

    for (;;) {
        if (!pass_on(&s->client, &s->upstream, &is_out_closed, err) ||
            !pass_on(&s->upstream, &s->client, &is_in_closed, err)) {
            return false;
        }
        if (s->client.is_ended && s->upstream.is_ended) {
            return true;
        }
        if (!egress_link_wait(&s->client, &s->upstream, err)) {
            return false;
        }
    }
}

/* A client that was captured speaks first, and to it there is no proxy that could say anything. */
static bool accept_tunnel(struct egress_session *s)
{
    struct egress_host host;
    struct error err = {0};

    s->is_answered = true;
    if (!s->is_captured) {
        s->attempt.status = 200;
        if (!egress_link_send(&s->client, span_str("HTTP/1.1 200 Connection established\r\n\r\n"), &err)) {
            return egress_session_fail_link(s, &err);
        }
    }
    return egress_session_read_hello(s, &host) &&
           (egress_host_equal(&host, &s->target.host) ||
            egress_session_fail(s, EGRESS_HELLO, "the host of CONNECT as server name expected"));
}

static bool pass_through(struct egress_session *s)
{
    struct error err = {0};

    return egress_session_dial(s) && accept_tunnel(s) && (relay(s, &err) || egress_session_fail_link(s, &err));
}

static bool secure(struct egress_session *s)
{
    gnutls_certificate_credentials_t credentials = NULL;
    struct error err = {0};

    return (egress_authority_vouch(s->service->authority, &s->target.host, &credentials, &err) &&
            egress_link_secure_server(&s->client, credentials, &err)) ||
           (err.kind == ERROR_LIMIT ? egress_session_fail_link(s, &err) : egress_session_fail(s, EGRESS_TLS, err.text));
}

/* The rule that allowed the tunnel is not yet the one that allows the request. */
static bool open_tunnel(struct egress_session *s)
{
    struct egress_attempt *a = &s->attempt;
    struct egress_target tunnel = s->target;
    struct span target_text;
    struct error err = {0};

    if (!accept_tunnel(s) || !secure(s)) {
        return false;
    }
    s->is_answered = false; /* what was answered was the tunnel */
    a->status = 0;
    a->kind = "https";
    if (!egress_session_take_head(s, &err)) {
        return false;
    }
    (void)snprintf(a->method, sizeof(a->method), SPAN_FMT, SPAN_ARG(s->head.method));
    if (!egress_target_read_inside(&s->head, &tunnel, &s->target, &target_text, &err)) {
        return egress_session_fail(s, EGRESS_BAD_REQUEST, err.text);
    }
    a->target = target_text;
    a->rule = (struct span){0};
    return egress_session_admit(s) && egress_exchange(s, target_text);
}

bool egress_tunnel(struct egress_session *s)
{
    return egress_is_seen(s->rule) ? open_tunnel(s) : pass_through(s);
}
