#include "testing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <microhttpd.h>

#include "server/listening.h"

enum { DELAY_US = 100000, THREADS = 2, STOPS = 3 };

/* libmicrohttpd's, as this program's symbol comes first. Two threads that take the same socket out of a set do it at the same time,
 * whatever the machine does meanwhile. */
int epoll_ctl(int set, int op, int fd, struct epoll_event *event)
{
    int is_listening = 0;
    socklen_t size = sizeof(is_listening);

    if (op == EPOLL_CTL_DEL && getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) == 0 && is_listening) {
        (void)usleep(DELAY_US);
    }
    return (int)syscall(SYS_epoll_ctl, set, op, fd, event);
}

/* --- a server ----------------------------------------------------------------------- */

struct server {
    struct MHD_Daemon *daemon;
    struct sockaddr_in address;
    int fd, quiet;
};

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_len, void **state)
{
    static char nothing[1];

    (void)context, (void)url, (void)method, (void)version, (void)upload, (void)upload_len;
    if (*state == NULL) {
        *state = nothing; /* an answer now would close the connection */
        return MHD_YES;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result = MHD_queue_response(connection, 204, response);
    MHD_destroy_response(response);
    return result;
}

static void start(struct server *s, unsigned threads)
{
    socklen_t size = sizeof(s->address);
    struct error err;

    s->address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&s->address, size), 0);
    assert_int_equal(listen(s->fd, 16), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *)&s->address, &size), 0);
    assert_true(listening_open_quiet(&s->quiet, &err));
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNALLY | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL, answer, NULL,
                                 MHD_OPTION_LISTEN_SOCKET, s->fd, threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END,
                                 threads, MHD_OPTION_END);
    assert_non_null(s->daemon);
}

static int connect_to(const struct server *s)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (connect(fd, (const struct sockaddr *)&s->address, sizeof(s->address)) == 0) {
        return fd;
    }
    (void)close(fd);
    return -1;
}

static bool is_served(int fd)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    char reply[1024];
    size_t len = 0;

    if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0) {
        return false;
    }
    while (len < sizeof(reply) - 1) {
        ssize_t n = recv(fd, reply + len, sizeof(reply) - 1 - len, 0);
        if (n <= 0) {
            return false;
        }
        len += (size_t)n;
        reply[len] = '\0';
        if (strstr(reply, "\r\n\r\n") != NULL) {
            return strncmp(reply, "HTTP/1.1 204", 12) == 0;
        }
    }
    return false;
}

/* --- clients that keep its threads busy ------------------------------------------------- */

struct client {
    int fd;
    _Atomic bool *is_over;
    pthread_t thread;
    bool was_served;
};

static void *ask_on(void *context)
{
    struct client *c = context;

    c->was_served = true;
    while (c->was_served && !atomic_load(c->is_over)) {
        c->was_served = is_served(c->fd);
    }
    return NULL;
}

static void stop_while_busy(unsigned threads)
{
    struct client clients[4];
    _Atomic bool is_over = false;
    struct server s;

    start(&s, threads);
    for (size_t i = 0; i < 4; i++) {
        clients[i] = (struct client){.fd = connect_to(&s), .is_over = &is_over};
        assert_true(is_served(clients[i].fd));
        assert_int_equal(pthread_create(&clients[i].thread, NULL, ask_on, &clients[i]), 0);
    }
    listening_end(s.fd, s.quiet);
    assert_int_equal(connect_to(&s), -1);
    (void)usleep(2 * DELAY_US); /* the threads go on, and look at the set again and again */
    atomic_store(&is_over, true);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(clients[i].thread, NULL), 0);
        assert_true(clients[i].was_served);
        (void)close(clients[i].fd);
    }
    MHD_stop_daemon(s.daemon);
    (void)close(s.quiet);
    assert_int_equal(fcntl(s.fd, F_GETFD), -1); /* closed by libmicrohttpd */
}

static void test_a_busy_server_stops_listening_and_serves_on(void **state)
{
    (void)state;
    for (int i = 0; i < STOPS; i++) {
        stop_while_busy(1);
        stop_while_busy(THREADS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_busy_server_stops_listening_and_serves_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
