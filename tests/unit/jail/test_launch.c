#include "testing.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jail/launcher/launch.h"

static void a_new_launch_has_no_descriptor(void **state)
{
    int fds[JAIL_LAUNCH_DESCRIPTORS_MAX];
    struct jail_launch l;

    (void)state;
    jail_launch_init(&l);
    assert_int_equal(jail_launch_descriptors(&l, fds), 0);
    jail_launch_close(&l);
}

static void every_descriptor_of_a_launch_is_listed(void **state)
{
    int fds[JAIL_LAUNCH_DESCRIPTORS_MAX];
    struct jail_launch l;

    (void)state;
    jail_launch_init(&l);
    l.control = 1000;
    l.egress = 1001;
    for (int i = 0; i < 3; i++) {
        l.stdio[i] = 1002 + i;
    }
    for (int i = 0; i < JAIL_INPUTS_MAX; i++) {
        l.inputs[i] = 1005 + i;
    }
    for (int i = 0; i < JAIL_TREES_MAX; i++) {
        l.cgroup_fds[i] = 1005 + JAIL_INPUTS_MAX + i;
    }
    assert_int_equal(jail_launch_descriptors(&l, fds), JAIL_LAUNCH_DESCRIPTORS_MAX);
    for (int i = 0; i < JAIL_LAUNCH_DESCRIPTORS_MAX; i++) {
        assert_int_equal(fds[i], 1000 + i);
    }
}

/* A terminal's settings are still needed when init has its copies. */
static void closing_leaves_the_egress_proxys_channel_and_the_settings(void **state)
{
    struct jail_launch l;
    int own = dup(STDERR_FILENO), channel = dup(STDERR_FILENO);

    (void)state;
    jail_launch_init(&l);
    l.stdio[1] = own;
    l.egress = channel;
    l.has_terminal = true;
    jail_launch_close(&l);
    assert_int_equal(fcntl(own, F_GETFD), -1);
    assert_true(fcntl(channel, F_GETFD) >= 0);
    assert_true(l.stdio[1] == -1 && l.egress == -1 && l.has_terminal);
    (void)close(channel);
}

/* In a child, as everything else of the test program's goes, too. */
static void all_other_descriptors_are_closed(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        int kept[] = {dup(STDERR_FILENO), dup(STDERR_FILENO), dup(STDERR_FILENO)}, middle = kept[1];
        kept[1] = kept[2];
        jail_close_others(kept, 2);
        _exit(fcntl(kept[0], F_GETFD) >= 0 && fcntl(kept[1], F_GETFD) >= 0 && fcntl(middle, F_GETFD) < 0 &&
                      fcntl(STDERR_FILENO, F_GETFD) >= 0
                  ? 0
                  : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_message_with_too_many_descriptors_is_refused(void **state)
{
    const struct jail_message m = {.kind = JAIL_MESSAGE_READY};
    const int sent[JAIL_DESCRIPTORS_MAX] = {0};
    struct jail_message got;
    int ends[2], fds[JAIL_DESCRIPTORS_MAX];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    assert_true(jail_message_send(ends[0], &m, sent, 1));
    assert_true(jail_message_receive(ends[1], &got, fds));
    assert_true(got.kind == JAIL_MESSAGE_READY && fds[0] >= 0 && fds[1] == -1);
    (void)close(fds[0]);
    const int more[JAIL_DESCRIPTORS_MAX + 1] = {0};
    assert_true(jail_message_send(ends[0], &m, more, JAIL_DESCRIPTORS_MAX + 1));
    assert_false(jail_message_receive(ends[1], &got, fds));
    assert_int_equal(fds[0], -1);
    (void)close(ends[0]);
    assert_false(jail_message_receive(ends[1], &got, fds));
    (void)close(ends[1]);
}

static void the_last_message_of_a_peer_that_left_one_unread_is_received(void **state)
{
    const struct jail_message go = {.kind = JAIL_MESSAGE_GO}, failed = {.kind = JAIL_MESSAGE_FAILED};
    struct jail_message got;
    int ends[2], fds[JAIL_DESCRIPTORS_MAX];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    assert_true(jail_message_send(ends[1], &go, NULL, 0));
    assert_true(jail_message_send(ends[0], &failed, NULL, 0));
    (void)close(ends[0]);
    assert_true(jail_message_receive(ends[1], &got, fds));
    assert_int_equal(got.kind, JAIL_MESSAGE_FAILED);
    assert_false(jail_message_receive(ends[1], &got, fds));
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_launch_has_no_descriptor),
        cmocka_unit_test(every_descriptor_of_a_launch_is_listed),
        cmocka_unit_test(closing_leaves_the_egress_proxys_channel_and_the_settings),
        cmocka_unit_test(all_other_descriptors_are_closed),
        cmocka_unit_test(a_message_with_too_many_descriptors_is_refused),
        cmocka_unit_test(the_last_message_of_a_peer_that_left_one_unread_is_received),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
