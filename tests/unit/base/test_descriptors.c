#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/span.h"
#include "support/descriptors_open.h"

enum { ROOM = 3 }; /* odd: CMSG_SPACE pads it to four */

static int ends[2];

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

static void descriptors_arrive_in_order_and_close_on_exec(void **state)
{
    const int sent[] = {open("/dev/null", O_WRONLY), open("/dev/zero", O_RDONLY)};
    char text[8];
    int fds[ROOM];
    size_t n;

    (void)state;
    assert_true(descriptors_send(ends[0], "hello", 5, sent, COUNT(sent), 0));
    assert_int_equal(descriptors_receive(ends[1], text, sizeof(text), fds, ROOM, &n, 0), 5);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(n, COUNT(sent));
    assert_int_equal(fcntl(fds[0], F_GETFL) & O_ACCMODE, O_WRONLY);
    assert_int_equal(fcntl(fds[1], F_GETFL) & O_ACCMODE, O_RDONLY);
    assert_int_equal(fcntl(fds[1], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    descriptors_close(fds, n);
    descriptors_close(sent, COUNT(sent));
}

/* The canary behind the array is what a descriptor too many would overwrite. */
static void more_descriptors_than_room_are_refused_and_closed(void **state)
{
    const int sent[] = {0, 0, 0, 0};
    struct {
        int fds[ROOM], canary;
    } got = {.canary = -7};
    char text[8];
    size_t n = 1;
    int before = descriptors_open();

    (void)state;
    assert_true(descriptors_send(ends[0], "x", 1, sent, COUNT(sent), 0));
    assert_int_equal(descriptors_receive(ends[1], text, sizeof(text), got.fds, ROOM, &n, 0), -1);
    assert_int_equal(errno, EMSGSIZE);
    assert_int_equal(n, 0);
    assert_int_equal(got.canary, -7);
    assert_int_equal(descriptors_open(), before);
}

static void a_datagram_that_is_too_long_is_refused_and_its_descriptors_closed(void **state)
{
    const int sent[] = {0};
    char text[4];
    int fds[ROOM];
    size_t n = 1;
    int before = descriptors_open();

    (void)state;
    assert_true(descriptors_send(ends[0], "longer", 6, sent, COUNT(sent), 0));
    assert_int_equal(descriptors_receive(ends[1], text, sizeof(text), fds, ROOM, &n, 0), -1);
    assert_int_equal(errno, EMSGSIZE);
    assert_int_equal(n, 0);
    assert_int_equal(descriptors_open(), before);
}

static void the_end_and_no_datagram_are_distinguished(void **state)
{
    char text[4];
    int fds[ROOM];
    size_t n = 1;

    (void)state;
    assert_int_equal(descriptors_receive(ends[1], text, sizeof(text), fds, ROOM, &n, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(n, 0);
    (void)shutdown(ends[0], SHUT_WR);
    assert_int_equal(descriptors_receive(ends[1], text, sizeof(text), fds, ROOM, &n, MSG_DONTWAIT), 0);
    assert_false(descriptors_send(ends[0], "x", 1, NULL, 0, 0)); /* and no SIGPIPE */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(descriptors_arrive_in_order_and_close_on_exec, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_descriptors_than_room_are_refused_and_closed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_datagram_that_is_too_long_is_refused_and_its_descriptors_closed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_and_no_datagram_are_distinguished, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
