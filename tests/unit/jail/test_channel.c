#include "testing.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "jail/network/channel.h"

static int ends[2];
static int fds[JAIL_CHANNEL_SOCKETS_MAX];
static struct jail_channel_message came;
static size_t n;

static int set_up(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static int tear_down(void **state)
{
    (void)state;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return 0;
}

static enum jail_channel_result receive(void)
{
    return jail_channel_receive(ends[1], &came, fds, &n, MSG_DONTWAIT);
}

static int count_open(void)
{
    int open = 0;

    for (int fd = 0; fd < 256; fd++) {
        open += fcntl(fd, F_GETFD) >= 0;
    }
    return open;
}

static void a_text_arrives_whole(void **state)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_EVENT, .event = 7, .text = "udp 192.0.2.1:9 refused"};

    (void)state;
    assert_true(jail_channel_send(ends[0], &m, NULL, 0, 0));
    assert_int_equal(receive(), JAIL_CHANNEL_CAME);
    assert_int_equal(came.kind, JAIL_CHANNEL_EVENT);
    assert_int_equal(came.event, 7);
    assert_string_equal(came.text, m.text);
    assert_int_equal(n, 0);
    assert_int_equal(receive(), JAIL_CHANNEL_NOTHING);
}

static void the_longest_text_is_terminated(void **state)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_READY};

    (void)state;
    memset(m.text, 'a', sizeof(m.text));
    assert_true(jail_channel_send(ends[0], &m, NULL, 0, 0));
    assert_int_equal(receive(), JAIL_CHANNEL_CAME);
    assert_int_equal(strlen(came.text), JAIL_CHANNEL_TEXT - 1);
}

static void sockets_arrive_and_are_closed_on_exec(void **state)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_SOCKETS, .n_streams = 1, .n_names = 1};
    const int sent[] = {ends[0], ends[1]};

    (void)state;
    assert_true(jail_channel_send(ends[0], &m, sent, 2, 0));
    assert_int_equal(receive(), JAIL_CHANNEL_CAME);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(fcntl(fds[i], F_GETFD), FD_CLOEXEC);
        (void)close(fds[i]);
    }
}

static void counts_that_lie_are_the_end_and_leave_nothing_open(void **state)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_SOCKETS, .n_streams = 3};
    int before = count_open();

    (void)state;
    assert_true(jail_channel_send(ends[0], &m, ends, 2, 0));
    assert_int_equal(receive(), JAIL_CHANNEL_END);
    assert_int_equal(n, 0);
    assert_int_equal(count_open(), before);
}

static void less_than_a_message_is_the_end(void **state)
{
    (void)state;
    assert_int_equal(send(ends[0], "x", 1, 0), 1);
    assert_int_equal(receive(), JAIL_CHANNEL_END);
}

static void the_other_sides_end_is_the_end(void **state)
{
    (void)state;
    assert_int_equal(shutdown(ends[0], SHUT_WR), 0);
    assert_int_equal(receive(), JAIL_CHANNEL_END);
}

static void what_nobody_reads_is_dropped_where_that_is_asked_for(void **state)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_EVENT, .text = "again"};
    bool is_full = false;

    (void)state;
    for (int i = 0; i < 100000 && !is_full; i++) {
        is_full = !jail_channel_send(ends[0], &m, NULL, 0, MSG_DONTWAIT);
    }
    assert_true(is_full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_arrives_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_longest_text_is_terminated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sockets_arrive_and_are_closed_on_exec, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_that_lie_are_the_end_and_leave_nothing_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(less_than_a_message_is_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_other_sides_end_is_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_nobody_reads_is_dropped_where_that_is_asked_for, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
