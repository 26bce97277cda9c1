/* test_link.c - what a link sets of its socket. */
#include "testing.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "envoy/link.h"

static bool hold(void *context, uint64_t n)
{
    (void)context, (void)n;
    return true;
}

static void release(void *context, uint64_t n)
{
    (void)context, (void)n;
}

static void closed(void *context, struct link *l)
{
    (void)context, (void)l;
}

/* Two ends of a TCP connection over loopback. */
static void connect_pair(int ends[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(listening, (const struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &len), 0);
    ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(ends[0], (const struct sockaddr *)&address, len), 0);
    ends[1] = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    assert_true(ends[1] >= 0);
    (void)close(listening);
}

/* Else the second frame of a response waits for the acknowledgement of the first, up to 40 ms. */
static void frames_over_tcp_are_sent_at_once(void **state)
{
    static const struct grpc_events events = {.hold = hold, .release = release};
    const struct worker_limits limits = worker_limits_default();
    struct error err;
    struct reactor *reactor = reactor_new(&limits, NULL, &err);
    const struct link_options options = {
        .events = &events, .limits = {.calls = 1, .message_max = 1024}, .reactor = reactor, .idle_ns = 1, .closed = closed};
    struct link *link;
    int ends[2], is_set = 0;
    socklen_t len = sizeof(is_set);

    (void)state;
    assert_non_null(reactor);
    connect_pair(ends);
    assert_true(link_open(ends[1], &options, &link, &err));
    assert_int_equal(getsockopt(ends[1], IPPROTO_TCP, TCP_NODELAY, &is_set, &len), 0);
    assert_int_not_equal(is_set, 0);
    link_close(link);
    (void)close(ends[0]);
    reactor_free(reactor);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(frames_over_tcp_are_sent_at_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
