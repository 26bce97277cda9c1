/* capture.c - a captured connection: its first message names the destination. The original address is
 * only for the record; the name is resolved again, so that the jail cannot choose the address. */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "jail/egress/session.h"

enum { TLS_HANDSHAKE = 22 };

static bool find_original(struct egress_session *s, uint16_t *port)
{
    struct sockaddr_storage a = {0};
    socklen_t len = sizeof(a);

    if (getsockname(s->client.fd, (struct sockaddr *)&a, &len) != 0 ||
        (a.ss_family != AF_INET && a.ss_family != AF_INET6)) {
        return egress_session_fail(s, EGRESS_BAD_REQUEST, "a connection with an address expected");
    }
    egress_address_print((const struct sockaddr *)&a, s->attempt.original);
    *port = ntohs(a.ss_family == AF_INET ? ((const struct sockaddr_in *)&a)->sin_port
                                         : ((const struct sockaddr_in6 *)&a)->sin6_port);
    s->attempt.port = *port;
    return true;
}

static bool capture_tls(struct egress_session *s, uint16_t port)
{
    s->attempt.kind = "tls";
    s->is_answered = true; /* nothing that is not TLS would be understood */
    s->target = (struct egress_target){.scheme = EGRESS_HTTPS, .port = port};
    if (!egress_session_read_hello(s, &s->target.host)) {
        return false;
    }
    egress_session_begin(s);
    egress_session_note(s, (struct span){0});
    return egress_session_admit(s) && egress_tunnel(s);
}

static bool capture_http(struct egress_session *s, uint16_t port)
{
    struct egress_target place = {.scheme = EGRESS_HTTP};
    struct span target_text;
    struct error err = {0};

    if (!egress_session_take_head(s, &err)) {
        return false;
    }
    egress_session_begin(s);
    (void)snprintf(s->attempt.method, sizeof(s->attempt.method), SPAN_FMT, SPAN_ARG(s->head.method));
    const struct span *host = egress_head_find(&s->head, "Host");
    uint16_t said = EGRESS_PORT_HTTP;
    if (host == NULL || !egress_authority_read(*host, &place.host, &said, &err) || said != port) {
        return egress_session_fail(s, EGRESS_BAD_REQUEST, "Host with the port of the connection expected");
    }
    place.port = port;
    if (!egress_target_read_inside(&s->head, &place, &s->target, &target_text, &err)) {
        return egress_session_fail(s, EGRESS_BAD_REQUEST, err.text);
    }
    egress_session_note(s, target_text);
    return egress_session_admit(s) && egress_exchange(s, target_text);
}

bool egress_capture(struct egress_session *s)
{
    struct error err = {0};
    uint16_t port = 0;

    if (!find_original(s, &port)) {
        return false;
    }
    if (!egress_link_fill(&s->client, &err)) {
        return egress_session_fail_link(s, &err);
    }
    struct span pending = egress_link_pending(&s->client);
    return pending.len > 0 && pending.ptr[0] == TLS_HANDSHAKE ? capture_tls(s, port) : capture_http(s, port);
}
