/* floor_processor.c - the least that an external processor of Envoy can do: filterd is compared with it (bench/envoy.sh).
 *
 * filterd's own HTTP/2, gRPC and messages, one thread for each connection; each message is answered at once: "go on, nothing is
 * changed", and where a body is FULL_DUPLEX_STREAMED by the piece that came. Nothing is judged and nothing is recorded.
 *
 * usage: floor_processor SOCKET; says "ready", ends with SIGTERM. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "envoy/grpc.h"
#include "envoy/process.h"

enum { BACKLOG = 16, BYTES = 64 * 1024, MESSAGE_MAX = 1024 * 1024, CALLS = 64 };

struct exchange {
    struct grpc_call *call;
    uint64_t request_mode, response_mode;
};

static enum grpc_status opened(void *context, struct grpc_call *call, const struct grpc_head *head, void **state)
{
    struct exchange *x = calloc(1, sizeof(*x));

    (void)context, (void)head;
    if (x == NULL) {
        return GRPC_RESOURCE_EXHAUSTED;
    }
    *x = (struct exchange){.call = call, .request_mode = BODY_BUFFERED, .response_mode = BODY_BUFFERED};
    *state = x;
    return GRPC_OK;
}

static bool answer(struct exchange *x, const struct process_message *m, struct buf *out, struct error *err)
{
    const struct process_changes none = {0};
    uint64_t mode = m->part == PROCESS_REQUEST_BODY ? x->request_mode : x->response_mode;

    if (m->part == PROCESS_REQUEST_BODY || m->part == PROCESS_RESPONSE_BODY) {
        return process_put_body(out, m->part, mode == BODY_FULL_DUPLEX ? CHANGE_STREAMED : CHANGE_NONE, m->body, m->is_last, err);
    }
    return m->part == PROCESS_REQUEST_HEADERS || m->part == PROCESS_RESPONSE_HEADERS
               ? process_put_headers(out, m->part, &none, err)
               : process_put_trailers(out, m->part, span_str(""), err);
}

static bool received(void *state, struct span message)
{
    struct exchange *x = state;
    struct process_message m;
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, MESSAGE_MAX);
    if (!process_read(message, &m, &err)) {
        grpc_finish(x->call, GRPC_INVALID_ARGUMENT);
        return true;
    }
    if (m.has_modes) {
        x->request_mode = m.request_mode;
        x->response_mode = m.response_mode;
    }
    if (!answer(x, &m, &out, &err) || !grpc_send(x->call, buf_span(&out), &err)) {
        grpc_finish(x->call, GRPC_INTERNAL);
    }
    return true;
}

static void ended(void *state)
{
    const struct exchange *x = state;

    grpc_finish(x->call, GRPC_OK);
}

static void drained(void *state)
{
    (void)state;
}

static bool hold(void *context, uint64_t n)
{
    (void)context, (void)n;
    return true;
}

static void release(void *context, uint64_t n)
{
    (void)context, (void)n;
}

static bool send_all(int fd, struct span bytes)
{
    while (bytes.len > 0) {
        const ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes = span_slice(bytes, n > 0 ? (size_t)n : 0, bytes.len);
    }
    return true;
}

static bool send_waiting(struct grpc *g, int fd)
{
    struct span bytes;

    do {
        if (!grpc_pull(g, &bytes) || !send_all(fd, bytes)) {
            return false;
        }
    } while (bytes.len > 0);
    return true;
}

static void *serve(void *context)
{
    static const struct grpc_events events = {
        .opened = opened, .received = received, .ended = ended, .drained = drained, .closed = free, .hold = hold, .release = release};
    static const struct grpc_limits limits = {.message_max = MESSAGE_MAX, .send_max = MESSAGE_MAX, .calls = CALLS};
    const int fd = (int)(intptr_t)context;
    static _Thread_local char bytes[BYTES];
    struct error err;
    struct grpc *g = grpc_new(&events, &limits, NULL, &err);
    ssize_t n = 1;

    while (g != NULL && n > 0 && send_waiting(g, fd)) {
        n = read(fd, bytes, sizeof(bytes));
        n = n > 0 && !grpc_feed(g, span_of(bytes, (size_t)n)) ? 0 : n;
    }
    grpc_free(g);
    (void)close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_t thread;

    if (argc != 2 || strlen(argv[1]) >= sizeof(address.sun_path)) {
        (void)fprintf(stderr, "usage: floor_processor SOCKET\n");
        return 2;
    }
    memcpy(address.sun_path, argv[1], strlen(argv[1]));
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listener, BACKLOG) != 0) {
        perror("floor_processor");
        return 1;
    }
    (void)puts("ready");
    (void)fflush(stdout);
    for (;;) {
        const int fd = accept(listener, NULL, NULL);
        if (fd >= 0 && pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0) {
            (void)pthread_detach(thread);
        }
    }
}
