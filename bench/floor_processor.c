/* floor_processor.c - the least that an external processor of Envoy can do: filterd is compared with it (bench/envoy.sh).
 *
 * filterd's own HTTP/2 and gRPC, one thread for each connection; each message is answered at once with the empty response of its
 * kind, "go on, nothing is changed". Nothing is judged and nothing is recorded. For bodies that are BUFFERED: one that is streamed
 * would have to be sent back.
 *
 * usage: floor_processor SOCKET; says "ready", ends with SIGTERM. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "envoy/grpc.h"

enum { BACKLOG = 16, BYTES = 64 * 1024, MESSAGE_MAX = 1024 * 1024, CALLS = 64, TAG_SHIFT = 3, LENGTH_DELIMITED = 2 };

/* Fields of ProcessingRequest -> ProcessingResponse (envoy/service/ext_proc/v3/external_processor.proto). */
static const unsigned char response_of[] = {[2] = 1, [3] = 2, [4] = 3, [5] = 4, [6] = 5, [7] = 6};

static enum grpc_status opened(void *context, struct grpc_call *call, const struct grpc_head *head, void **state)
{
    (void)context, (void)head;
    *state = call;
    return GRPC_OK;
}

static bool received(void *state, struct span message)
{
    const size_t field = message.len == 0 ? 0 : (unsigned char)message.ptr[0] >> TAG_SHIFT;
    struct error err;

    if (field < 2 || field >= sizeof(response_of)) {
        grpc_finish(state, GRPC_INVALID_ARGUMENT);
        return true;
    }
    const char empty[] = {(char)(response_of[field] << TAG_SHIFT | LENGTH_DELIMITED), 0};
    if (!grpc_send(state, span_of(empty, sizeof(empty)), &err)) {
        grpc_finish(state, GRPC_INTERNAL);
    }
    return true;
}

static void ended(void *state)
{
    grpc_finish(state, GRPC_OK);
}

static void ignore(void *state)
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
        .opened = opened, .received = received, .ended = ended, .drained = ignore, .closed = ignore, .hold = hold, .release = release};
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
