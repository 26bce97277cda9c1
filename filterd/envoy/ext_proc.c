#include "envoy/ext_proc.h"

#include <gnutls/gnutls.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "envoy/processing.h"

enum {
    CALLS_MAX = 1024,          /* of one connection */
    MESSAGE_EXTRA = 64 * 1024, /* of a message around its body */
    ANSWER_FACTOR = 3,         /* a redacted answer may be longer than it came */
    SECONDS = 1000000000,
};

static const char method_path[] = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

/* The part of one reactor; its thread's. */
struct lane {
    struct ext_proc *owner;
    struct reactor *reactor;
    struct client *clients;
    struct reactor_task draining, stopping;
};

/* One connection. */
struct client {
    struct lane *lane;
    struct link *link;
    struct client *next, **before;
    struct reactor_task task; /* its way to its lane */
    int fd;
};

struct ext_proc {
    struct service *service;
    struct listener listener;
    gnutls_certificate_credentials_t credentials; /* NULL: plain */
    struct watch accepting;
    unsigned n_lanes, next_lane;
    sem_t stopped;
    struct lane lanes[];
};

/* --- calls ------------------------------------------------------------------------ */

static bool read_bearer(const char *header, struct span *token)
{
    static const char scheme[] = "Bearer ";

    *token = span_str(header);
    if (token->len < sizeof(scheme) || strncasecmp(header, scheme, sizeof(scheme) - 1) != 0) {
        return false;
    }
    *token = span_slice(*token, sizeof(scheme) - 1, token->len);
    return true;
}

/* The number of the caller, as access_caller has it; 0: not authenticated. */
static unsigned find_caller(const struct client *c, const struct grpc_head *head)
{
    struct service *s = c->lane->owner->service;
    uint8_t hash[TOKEN_HASH];
    unsigned number = 0;
    struct span token;
    uid_t uid = 0;

    if (service_token_count(s) == 0) {
        return link_peer(c->link, &uid) ? uid + 2U : 1;
    }
    if (!read_bearer(head->authorization, &token) || (service_role(s, token) & (ROLE_PROXY | ROLE_ADMIN)) == 0) {
        return 0;
    }
    token_hash(token, hash);
    memcpy(&number, hash, sizeof(number));
    return number == 0 ? 1 : number;
}

static enum grpc_status opened(void *context, struct grpc_call *call, const struct grpc_head *head, void **state)
{
    struct client *c = context;
    struct service *s = c->lane->owner->service;
    unsigned caller = find_caller(c, head);
    struct error err;

    const struct processing_options options = {
        .service = s,
        .listener = &c->lane->owner->listener,
        .reactor = c->lane->reactor,
        .link = c->link,
        .call = call,
        .caller = caller,
        .upstream = head->upstream,
    };
    if (strcmp(head->path, method_path) != 0) {
        return GRPC_UNIMPLEMENTED;
    }
    if (caller == 0) {
        return GRPC_UNAUTHENTICATED;
    }
    if (atomic_load(&s->is_draining)) {
        return GRPC_UNAVAILABLE;
    }
    link_keep(c->link);
    *state = processing_new(&options, &err);
    return *state != NULL ? GRPC_OK : GRPC_RESOURCE_EXHAUSTED;
}

static bool hold(void *context, uint64_t n)
{
    struct client *c = context;

    return service_hold(c->lane->owner->service, n);
}

static void release(void *context, uint64_t n)
{
    struct client *c = context;

    service_release(c->lane->owner->service, n);
}

static const struct grpc_events events = {.opened = opened,
                                          .received = processing_received,
                                          .ended = processing_ended,
                                          .drained = processing_drained,
                                          .closed = processing_closed,
                                          .hold = hold,
                                          .release = release};

/* --- connections -------------------------------------------------------------------- */

static void forget(void *context, struct link *l)
{
    struct client *c = context;

    (void)l;
    *c->before = c->next;
    if (c->next != NULL) {
        c->next->before = c->before;
    }
    (void)atomic_fetch_sub(&c->lane->owner->service->metrics.ext_proc.connections, 1);
    free(c);
}

static void drop(struct client *c)
{
    (void)atomic_fetch_sub(&c->lane->owner->service->metrics.ext_proc.connections, 1);
    (void)close(c->fd);
    free(c);
}

static gnutls_session_t new_session(const struct ext_proc *e)
{
    static const gnutls_datum_t protocol = {.data = (unsigned char *)(uintptr_t)"h2", .size = 2};
    gnutls_session_t session = NULL;
    bool wants_certificate = tls_client_ca(e->service->tls) != NULL;

    if (gnutls_init(&session, GNUTLS_SERVER | GNUTLS_NONBLOCK) < 0) {
        return NULL;
    }
    if (gnutls_set_default_priority(session) < 0 ||
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, e->credentials) < 0 ||
        gnutls_alpn_set_protocols(session, &protocol, 1, GNUTLS_ALPN_MANDATORY) < 0) {
        gnutls_deinit(session);
        return NULL;
    }
    gnutls_certificate_server_set_request(session, wants_certificate ? GNUTLS_CERT_REQUIRE : GNUTLS_CERT_IGNORE);
    return session;
}

/* In its lane's thread. */
static void begin(struct reactor_task *task)
{
    struct client *c = (struct client *)(void *)((char *)task - offsetof(struct client, task));
    struct lane *lane = c->lane;
    const struct ext_proc *e = lane->owner;
    const struct service_options *o = e->service->options;
    gnutls_session_t tls = e->credentials != NULL ? new_session(e) : NULL;
    struct error err;

    if (e->credentials != NULL && tls == NULL) {
        drop(c);
        return;
    }
    const struct link_options options = {
        .events = &events,
        .limits = {.message_max = o->body_max + MESSAGE_EXTRA,
                   .send_max = ANSWER_FACTOR * o->body_max + MESSAGE_EXTRA,
                   .calls = CALLS_MAX},
        .context = c,
        .reactor = lane->reactor,
        .tls = tls,
        .needs_certificate = tls != NULL && tls_client_ca(e->service->tls) != NULL,
        .idle_ns = o->idle_timeout * SECONDS,
        .closed = forget,
    };
    int fd = c->fd;
    c->fd = -1;
    if (!link_open(fd, &options, &c->link, &err)) {
        (void)atomic_fetch_sub(&e->service->metrics.ext_proc.connections, 1);
        free(c);
        return;
    }
    c->next = lane->clients;
    c->before = &lane->clients;
    if (c->next != NULL) {
        c->next->before = &c->next;
    }
    lane->clients = c;
}

static void accepted(struct ext_proc *e, int fd)
{
    struct lane *lane = &e->lanes[e->next_lane++ % e->n_lanes];
    int64_t n = atomic_fetch_add(&e->service->metrics.ext_proc.connections, 1);
    struct client *c = (uint64_t)n < e->service->options->connections ? calloc(1, sizeof(*c)) : NULL;

    if (c == NULL) {
        (void)atomic_fetch_sub(&e->service->metrics.ext_proc.connections, 1);
        (void)atomic_fetch_add(&e->service->metrics.overloads, 1);
        (void)close(fd);
        return;
    }
    *c = (struct client){.lane = lane, .task.run = begin, .fd = fd};
    reactor_post(lane->reactor, &c->task);
}

static void accept_all(struct watch *w, uint32_t ignored)
{
    struct ext_proc *e = (struct ext_proc *)(void *)((char *)w - offsetof(struct ext_proc, accepting));
    int fd = -1;

    (void)ignored;
    while ((fd = accept4(e->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        accepted(e, fd);
    }
}

/* --- life ------------------------------------------------------------------------------ */

bool ext_proc_check(const char *address, bool has_credentials, bool has_upstreams, struct error *err)
{
    struct address a;

    if (address == NULL) {
        return true;
    }
    if (!address_parse(address, &a, err)) {
        return error_wrap(err, "ext-proc");
    }
    if (a.kind != ADDRESS_NONE && !has_upstreams) {
        return error_set(err, ERROR_INVALID, "ext-proc: only with upstreams, which name protocols and policies");
    }
    return has_credentials || address_is_local(&a) ||
           error_set(err, ERROR_DENIED, "ext-proc: '%s': without tokens or tls-client-ca only loopback or a Unix socket is listened on",
                     address);
}

static bool make_credentials(struct ext_proc *e, struct error *err)
{
    const char *ca = e->service->tls == NULL ? NULL : tls_client_ca(e->service->tls);

    if (e->service->tls == NULL || e->listener.address.kind != ADDRESS_TCP) {
        return true;
    }
    tls_serve(e->service->tls);
    if (gnutls_certificate_allocate_credentials(&e->credentials) < 0) {
        return error_set(err, ERROR_NO_MEMORY, "ext-proc: no memory");
    }
    gnutls_certificate_set_retrieve_function2(e->credentials, tls_choose_certificate);
    if (ca == NULL) {
        return true;
    }
    const gnutls_datum_t pem = {.data = (unsigned char *)(uintptr_t)ca, .size = (unsigned)strlen(ca)};
    return gnutls_certificate_set_x509_trust_mem(e->credentials, &pem, GNUTLS_X509_FMT_PEM) > 0 ||
           error_set(err, ERROR_INVALID, "ext-proc: a certificate in tls-client-ca expected");
}

bool ext_proc_open(struct service *s, const char *address, struct ext_proc **out, struct error *err)
{
    bool has_credentials = service_token_count(s) > 0 || (s->tls != NULL && tls_client_ca(s->tls) != NULL);
    struct address a = {.kind = ADDRESS_NONE};

    *out = NULL;
    if (!ext_proc_check(address, has_credentials, s->upstreams != NULL, err) ||
        (address != NULL && !address_parse(address, &a, err))) {
        return false;
    }
    if (a.kind == ADDRESS_NONE) {
        return true;
    }
    struct ext_proc *e = calloc(1, sizeof(*e) + s->n_reactors * sizeof(e->lanes[0]));
    if (e == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "ext-proc: no memory");
    }
    e->service = s;
    e->listener = (struct listener){.kind = LISTENER_DELIVERY, .service = s, .address = a, .fd = -1};
    e->accepting.ready = accept_all;
    e->n_lanes = s->n_reactors;
    (void)sem_init(&e->stopped, 0, 0);
    for (unsigned i = 0; i < e->n_lanes; i++) {
        e->lanes[i] = (struct lane){.owner = e, .reactor = s->reactors[i]};
    }
    *out = e;
    return make_credentials(e, err) &&
           (address_listen(&e->listener.address, (unsigned)s->options->socket_mode, &e->listener.fd, err) ||
            error_wrap(err, "ext-proc"));
}

bool ext_proc_start(struct ext_proc *e, struct error *err)
{
    char address[ADDRESS_TEXT];

    if (e == NULL) {
        return true;
    }
    address_text(&e->listener.address, address);
    log_info("ext_proc: listening address=%s tls=%s", address, e->credentials != NULL ? "on" : "off");
    return reactor_poll(e->lanes[0].reactor, e->listener.fd, EPOLLIN, &e->accepting) ||
           error_errno(err, "ext-proc: epoll");
}

static void drain_lane(struct reactor_task *task)
{
    const struct lane *lane = (struct lane *)(void *)((char *)task - offsetof(struct lane, draining));

    if (lane == lane->owner->lanes) {
        reactor_unwatch(lane->reactor, lane->owner->listener.fd);
    }
    for (struct client *c = lane->clients; c != NULL;) {
        struct client *next = c->next; /* a link may close itself, no other */
        link_shut_down(c->link);
        c = next;
    }
}

void ext_proc_drain(struct ext_proc *e)
{
    if (e == NULL) {
        return;
    }
    if (e->listener.address.kind == ADDRESS_UNIX) {
        (void)unlink(e->listener.address.socket.local.sun_path);
    }
    for (unsigned i = 0; i < e->n_lanes; i++) {
        e->lanes[i].draining.run = drain_lane;
        reactor_post(e->lanes[i].reactor, &e->lanes[i].draining);
    }
}

static void stop_lane(struct reactor_task *task)
{
    struct lane *lane = (struct lane *)(void *)((char *)task - offsetof(struct lane, stopping));

    while (lane->clients != NULL) {
        link_close(lane->clients->link);
    }
    (void)sem_post(&lane->owner->stopped);
}

void ext_proc_stop(struct ext_proc *e)
{
    if (e == NULL) {
        return;
    }
    for (unsigned i = 0; i < e->n_lanes; i++) {
        e->lanes[i].stopping.run = stop_lane;
        reactor_post(e->lanes[i].reactor, &e->lanes[i].stopping);
    }
    for (unsigned i = 0; i < e->n_lanes; i++) {
        while (sem_wait(&e->stopped) != 0) {
        }
    }
    (void)close(e->listener.fd);
    if (e->credentials != NULL) {
        gnutls_certificate_free_credentials(e->credentials);
    }
    (void)sem_destroy(&e->stopped);
    free(e);
}
