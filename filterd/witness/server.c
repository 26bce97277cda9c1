#include "witness/server.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "http/head.h"
#include "record/add_checkpoint.h"

enum {
    CONNECTIONS_MAX = 256,
    IDLE_SECONDS = 10,
    CONNECTION_MEMORY = 32 * 1024,
    SOCKET_MODE = 0600,
    ANSWER_MAX = 8 * 1024,
};

struct witness_server {
    struct witness *witness;
    struct MHD_Daemon *daemon;
};

struct exchange {
    struct buf body;
    bool is_too_long;
};

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *type, struct span body)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(body.len, (void *)(uintptr_t)body.ptr, MHD_RESPMEM_MUST_COPY);

    if (r == NULL) {
        return MHD_NO;
    }
    (void)MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    (void)MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED) {
        (void)MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "POST");
    }
    enum MHD_Result result = MHD_queue_response(connection, status, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
    return reply(connection, status, "text/plain; charset=utf-8", span_str(why));
}

static enum MHD_Result cosign(struct witness *w, struct MHD_Connection *connection, struct span body)
{
    struct witness_answer answer = {.status = 0};
    struct error err;

    buf_init(&answer.body, ANSWER_MAX);
    witness_cosign(w, body, (uint64_t)time(NULL), &answer, &err);
    if (answer.status == MHD_HTTP_INTERNAL_SERVER_ERROR) {
        log_error("witness: %s", err.text);
    }
    enum MHD_Result result = reply(connection, answer.status, answer.is_size ? "text/x.tlog.size" : "text/plain; charset=utf-8",
                                   buf_span(&answer.body));
    buf_deinit(&answer.body);
    return result;
}

static enum MHD_Result begin(struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                             void **state)
{
    const struct head_fault *fault = head_check(connection, method, url, version);

    if (fault != NULL) {
        return refuse(connection, fault->status, fault->detail);
    }
    if (strcmp(url, "/add-checkpoint") != 0) {
        return refuse(connection, MHD_HTTP_NOT_FOUND, "POST /add-checkpoint expected\n");
    }
    if (strcmp(method, MHD_HTTP_METHOD_POST) != 0) {
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "POST /add-checkpoint expected\n");
    }
    struct exchange *e = calloc(1, sizeof(*e));
    if (e == NULL) {
        return MHD_NO;
    }
    buf_init(&e->body, ADD_CHECKPOINT_MAX);
    *state = e;
    return MHD_YES;
}

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_len, void **state)
{
    struct witness_server *s = context;
    struct exchange *e = *state;
    struct error err;

    if (e == NULL) {
        return begin(connection, url, method, version, state);
    }
    if (*upload_len > 0) {
        e->is_too_long = e->is_too_long || !buf_append(&e->body, span_of(upload, *upload_len), &err);
        *upload_len = 0;
        return MHD_YES;
    }
    if (e->is_too_long) {
        return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "a shorter body expected\n");
    }
    return cosign(s->witness, connection, buf_span(&e->body));
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libmicrohttpd dictates the type */
static void complete(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode reason)
{
    struct exchange *e = *state;

    (void)context;
    (void)connection;
    (void)reason;
    if (e != NULL) {
        buf_deinit(&e->body);
        free(e);
        *state = NULL;
    }
}

struct witness_server *witness_server_start(struct witness *w, struct address *address, struct error *err)
{
    int fd;
    struct witness_server *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "witness: no memory");
        return NULL;
    }
    if (!address_listen(address, SOCKET_MODE, &fd, err)) {
        error_wrap(err, "listen");
        free(s);
        return NULL;
    }
    s->witness = w;
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNALLY, 0, NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET, fd,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
                                 (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
                                 MHD_OPTION_NOTIFY_COMPLETED, complete, NULL, MHD_OPTION_END);
    if (s->daemon == NULL) {
        error_set(err, ERROR_SYSTEM, "http: the server did not start");
        (void)close(fd);
        free(s);
        return NULL;
    }
    return s;
}

void witness_server_stop(struct witness_server *s)
{
    if (s != NULL) {
        MHD_stop_daemon(s->daemon);
        free(s);
    }
}
