#include "testing.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/connections.h"
#include "service/request.h"
#include "service/service.h"

/* What one end of a pair says: true for its end, without waiting. */
static bool has_ended(int fd)
{
    char c;

    return recv(fd, &c, 1, MSG_DONTWAIT) == 0;
}

static void await_end(struct connections *all)
{
    int pair[2];
    char c;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    struct connection *one = connections_open(all, pair[0]);
    assert_non_null(one);
    assert_int_equal(recv(pair[1], &c, 1, 0), 0);
    connections_close(all, one);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* The process slept, or had no processor: what came meanwhile is no silence of the client. */
static void a_head_that_waits_to_be_read_is_not_late(void **state)
{
    struct connections all = {.name = "test", .max = 10, .wait_ns = 1};
    struct error err;
    int sent[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sent), 0);
    assert_int_equal(write(sent[1], "POST", 4), 4);
    assert_true(connections_start(&all, &err));
    struct connection *one = connections_open(&all, sent[0]);
    assert_non_null(one);
    await_end(&all); /* a silent one, in a pass over all of them */
    await_end(&all); /* in the next one: the first is over */
    assert_false(has_ended(sent[1]));
    connections_close(&all, one);
    connections_stop(&all);
    (void)close(sent[0]);
    (void)close(sent[1]);
}

static bool takes(struct service_options options, uint64_t announced, size_t len)
{
    static struct service service;
    struct request r = {.service = &service, .is_refused = true, .announced = announced, .received_max = 1000};

    service.options = &options;
    r.started_ns = clock_monotonic_ns() - 10 * UINT64_C(1000000000);
    return request_receive(&r, span_of("0123456789", len));
}

static void a_body_that_is_all_there_is_not_too_slow(void **state)
{
    const struct service_options options = {.idle_timeout = 2, .request_timeout = 300, .rate_min = 256};
    const struct service_options hurried = {.idle_timeout = 2, .request_timeout = 5, .rate_min = 0};

    (void)state;
    assert_true(takes(options, 10, 10));
    assert_true(takes(hurried, 10, 10));
    assert_false(takes(options, 10, 9));
    assert_false(takes(hurried, 10, 9));
    assert_false(takes(options, 0, 10)); /* in chunks: more may come */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_that_waits_to_be_read_is_not_late),
        cmocka_unit_test(a_body_that_is_all_there_is_not_too_slow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
