#include "server/server.h"

#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "envoy/ext_proc.h"
#include "decision_log/retention.h"
#include "server/listening.h"
#include "server/origin.h"
#include "proxy/proxy.h"
#include "server/routes.h"
#include "websocket/websocket.h"

enum { CUT_SECONDS = 5, PER_IP_SHARE = 4 };

static enum MHD_Result send_or_wait(struct request *r, enum step step)
{
    return step == STEP_ANSWERED ? request_send(r) : MHD_YES;
}

/* A route that needs a pause suspends before it takes the bytes: libmicrohttpd goes on with the
 * next chunk of a body, suspended or not, unless some bytes were left with it. */
static enum MHD_Result receive(struct request *r, const char *upload, size_t *upload_len)
{
    if (r->route->receive != NULL && !r->is_refused && r->route->receive(r) == STEP_SUSPENDED) {
        return MHD_YES;
    }
    if (!request_receive(r, span_of(upload, *upload_len))) {
        return MHD_NO;
    }
    *upload_len = 0;
    return MHD_YES;
}

static enum MHD_Result finish(struct request *r)
{
    if (r->reply.status == 0) {
        r->received_ns = r->received_ns == 0 ? clock_monotonic_ns() : r->received_ns;
        return send_or_wait(r, r->route->run(r));
    }
    return request_send(r);
}

/* libmicrohttpd decodes the path and takes for text what cannot be decoded, so this looks before it does: what it returns
 * is the request's state until there is a request. */
static char malformed;

static void *look_at_target(void *context, const char *target, struct MHD_Connection *connection)
{
    (void)context;
    (void)connection;
    return route_is_malformed(target) ? &malformed : NULL;
}

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_len, void **state)
{
    const struct listener *l = context;
    bool is_malformed = *state == &malformed;
    struct request *r = is_malformed ? NULL : *state;

    if (r == NULL) {
        connection_set_working(connection, true);
        r = request_take(l->service, l, connection);
        if (r == NULL || atomic_load(&l->service->is_stopping)) {
            *state = r;
            return MHD_NO;
        }
        *state = r;
        request_admit(r, &(struct request_line){method, url, version, is_malformed});
        return r->reply.closes ? request_send(r) : MHD_YES;
    }
    return *upload_len > 0 ? receive(r, upload, upload_len) : finish(r);
}

static void complete(void *context, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode reason)
{
    struct request *r = *state == &malformed ? NULL : *state;

    (void)context;
    (void)reason;
    connection_set_working(connection, false);
    if (r != NULL) {
        websocket_leave(r->websocket);
        r->websocket = NULL;
        proxy_leave(r->proxy);
        r->proxy = NULL;
        request_give_back(r);
    }
    *state = NULL;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libmicrohttpd dictates the type */
static void connect_or_close(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code)
{
    struct listener *l = context;
    bool is_new = code == MHD_CONNECTION_NOTIFY_STARTED;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (is_new) {
        *socket_context = info == NULL ? NULL : connections_open(&l->connections, info->connect_fd);
    } else {
        connections_close(&l->connections, *socket_context);
        *socket_context = NULL;
    }
    (void)atomic_fetch_add_explicit(&l->service->metrics.connections, is_new ? 1 : -1, memory_order_relaxed);
}

static bool read_address(enum listener_kind kind, const char *text, bool has_tokens, struct address *out,
                         struct error *err)
{
    const char *name = kind == LISTENER_DELIVERY ? "listen" : "operators";

    if (!address_parse(text, out, err)) {
        return error_wrap(err, "%s", name);
    }
    if (has_tokens) {
        return true;
    }
    if (kind == LISTENER_OPERATORS && out->kind == ADDRESS_TCP) {
        return error_set(err, ERROR_DENIED,
                         "operators: '%s': without tokens only a Unix socket is listened on, as every program and web "
                         "page here could kill and revive agents; see tokens",
                         text);
    }
    return address_is_local(out) ||
           error_set(err, ERROR_DENIED,
                     "%s: '%s': without tokens only loopback or a Unix socket is listened on", name, text);
}

static bool read_addresses(const struct service_options *o, bool has_tokens, struct address *listen,
                           struct address *operators, struct error *err)
{
    return read_address(LISTENER_DELIVERY, o->listen, has_tokens, listen, err) &&
           read_address(LISTENER_OPERATORS, o->operators, has_tokens, operators, err);
}

bool server_check_options(const struct service_options *o, struct error *err)
{
    struct address listen, operators, agents, link;
    struct retention keep;

    if (o->keep != NULL && !retention_parse(span_str(o->keep), &keep, err)) {
        return false;
    }
    if (!origin_check_options(o, err) || !read_addresses(o, o->tokens != NULL, &listen, &operators, err) ||
        !ext_proc_check(o->ext_proc, o->tokens != NULL || (o->tls_certificate != NULL && o->tls_client_ca != NULL),
                        o->upstreams != NULL, err)) {
        return false;
    }
    if (!address_parse(o->agents, &agents, err)) {
        return error_wrap(err, "agents");
    }
    if (!address_parse(o->link, &link, err)) {
        return error_wrap(err, "link");
    }
    if (link.kind == ADDRESS_TCP) {
        return error_set(err, ERROR_INVALID, "link: '%s': unix:/path or none expected", o->link);
    }
    return agents.kind != ADDRESS_TCP ||
           error_set(err, ERROR_INVALID, "agents: '%s': unix:/path or none expected", o->agents);
}

static bool open_listener(struct listener *l, struct error *err)
{
    bool is_delivery = l->kind == LISTENER_DELIVERY;
    unsigned mode = is_delivery ? (unsigned)l->service->options->socket_mode : 0600;

    return l->address.kind == ADDRESS_NONE ||
           (listening_open_quiet(&l->quiet, err) && address_listen(&l->address, mode, &l->fd, err)) ||
           error_wrap(err, "%s", is_delivery ? "listen" : "operators");
}

bool server_init(struct server *s, struct service *service, struct error *err)
{
    *s = (struct server){.service = service};
    s->listeners[0] = (struct listener){.kind = LISTENER_DELIVERY, .service = service, .fd = -1, .quiet = -1};
    s->listeners[1] = (struct listener){.kind = LISTENER_OPERATORS, .service = service, .fd = -1, .quiet = -1};
    return server_check_options(service->options, err) &&
           read_addresses(service->options, service_token_count(service) > 0, &s->listeners[0].address,
                          &s->listeners[1].address, err);
}

bool server_open(struct server *s, struct error *err)
{
    return open_listener(&s->listeners[0], err) && open_listener(&s->listeners[1], err) &&
           ext_proc_open(s->service, s->service->options->ext_proc, &s->ext_proc, err);
}

/* Of one address. Of loopback all callers have the same; from elsewhere none may take every place. */
static uint64_t connections_per_ip(const struct listener *l)
{
    const struct service_options *o = l->service->options;
    uint64_t share = o->connections < PER_IP_SHARE ? 1 : o->connections / PER_IP_SHARE;

    return o->connections_per_ip > 0 ? o->connections_per_ip : address_is_local(&l->address) ? 0 : share;
}

/* Of libmicrohttpd: what both listeners have in common, with TLS and without. */
enum { OPTIONS_MAX = 16 };
static void set_options(const struct listener *l, const char *client_ca, struct MHD_OptionItem options[OPTIONS_MAX])
{
    const struct service_options *o = l->service->options;
    unsigned threads = l->kind == LISTENER_DELIVERY ? (unsigned)o->threads : 1;
    size_t n = 0;

    options[n++] = (struct MHD_OptionItem){MHD_OPTION_LISTEN_SOCKET, l->fd, NULL};
    /* libmicrohttpd 1.0 would join folded lines and several blanks where they are, which head_check could not see. */
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL};
    options[n++] =
        (struct MHD_OptionItem){MHD_OPTION_CONNECTION_LIMIT, (intptr_t)o->connections, NULL};
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                                           (intptr_t)connections_per_ip(l), NULL};
    options[n++] =
        (struct MHD_OptionItem){MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)o->idle_timeout, NULL};
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                           (intptr_t)o->connection_memory, NULL};
    if (threads > 1) {
        options[n++] =
            (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL};
    }
    if (client_ca != NULL) {
        options[n++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_TRUST, 0, (void *)(intptr_t)client_ca};
    }
    options[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
}

static bool start_listener(struct listener *l, struct error *err)
{
    struct service *s = l->service;
    const struct service_options *o = s->options;
    bool has_tls = s->tls != NULL && l->address.kind == ADDRESS_TCP;
    unsigned flags = MHD_USE_EPOLL_INTERNALLY | MHD_USE_SUSPEND_RESUME | MHD_ALLOW_UPGRADE;
    struct MHD_OptionItem options[OPTIONS_MAX];

    l->connections = (struct connections){.name = l->kind == LISTENER_DELIVERY ? "listen" : "operators",
                                          .max = o->connections,
                                          .wait_ns = o->idle_timeout * 1000000000};
    if (!connections_start(&l->connections, err)) {
        return false;
    }
    set_options(l, has_tls ? tls_client_ca(s->tls) : NULL, options);
    if (has_tls) {
        flags |= MHD_USE_TLS;
        tls_serve(s->tls);
        l->daemon = MHD_start_daemon(
            flags, 0, NULL, NULL, handle, l, MHD_OPTION_ARRAY, options,
            MHD_OPTION_HTTPS_CERT_CALLBACK, tls_choose_certificate, MHD_OPTION_NOTIFY_COMPLETED,
            complete, NULL, MHD_OPTION_NOTIFY_CONNECTION, connect_or_close, l,
            MHD_OPTION_URI_LOG_CALLBACK, look_at_target, NULL, MHD_OPTION_END);
    } else {
        l->daemon = MHD_start_daemon(
            flags, 0, NULL, NULL, handle, l, MHD_OPTION_ARRAY, options, MHD_OPTION_NOTIFY_COMPLETED,
            complete, NULL, MHD_OPTION_NOTIFY_CONNECTION, connect_or_close, l,
            MHD_OPTION_URI_LOG_CALLBACK, look_at_target, NULL, MHD_OPTION_END);
    }
    return l->daemon != NULL || error_set(err, ERROR_SYSTEM, "http: the server did not start");
}

bool server_start(struct server *s, struct error *err)
{
    for (size_t i = 0; i < COUNT(s->listeners); i++) {
        if (s->listeners[i].fd >= 0 && !start_listener(&s->listeners[i], err)) {
            return false;
        }
    }
    return ext_proc_start(s->ext_proc, err);
}

static void end_listening(struct listener *l)
{
    if (l->fd < 0) {
        return;
    }
    listening_end(l->fd, l->quiet);
    if (l->address.kind == ADDRESS_UNIX) {
        (void)unlink(l->address.socket.local.sun_path);
    }
}

bool server_drain(struct server *s, bool (*is_hurried)(void))
{
    const struct timespec pause = {.tv_nsec = 10000000};
    uint64_t end = clock_monotonic_ns() + s->service->options->drain_timeout * 1000000000;
    const _Atomic int64_t *active = &s->service->metrics.active_requests;

    atomic_store(&s->service->is_draining, true);
    for (size_t i = 0; i < COUNT(s->listeners); i++) {
        end_listening(&s->listeners[i]);
    }
    ext_proc_drain(s->ext_proc);
    while (atomic_load(active) > 0 && clock_monotonic_ns() < end && !is_hurried()) {
        (void)nanosleep(&pause, NULL);
    }
    /* From here on no request begins, so that none is in progress when the record closes. */
    atomic_store(&s->service->is_stopping, true);
    while (atomic_load(active) > 0 && clock_monotonic_ns() < end && !is_hurried()) {
        (void)nanosleep(&pause, NULL);
    }
    /* Streams still open end where they are, as their protocols end a broken one. */
    atomic_store(&s->service->is_cutting, true);
    end = clock_monotonic_ns() + (uint64_t)CUT_SECONDS * 1000000000;
    while (atomic_load(&s->service->metrics.proxy.open) > 0 && atomic_load(active) > 0 &&
           clock_monotonic_ns() < end && !is_hurried()) {
        (void)nanosleep(&pause, NULL);
    }
    return atomic_load(active) == 0;
}

void server_stop(struct server *s)
{
    ext_proc_stop(s->ext_proc);
    s->ext_proc = NULL;
    for (size_t i = 0; i < COUNT(s->listeners); i++) {
        struct listener *l = &s->listeners[i];
        if (l->daemon != NULL) {
            MHD_stop_daemon(l->daemon); /* and closes the number of its socket */
            l->daemon = NULL;
            l->fd = -1;
        }
        connections_stop(&l->connections);
        cleanup_fd(&l->fd);
        cleanup_fd(&l->quiet);
        l->fd = l->quiet = -1;
    }
}
