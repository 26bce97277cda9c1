#include "testing.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jail/launcher/handover.h"

enum { LARGE = 1 << 20, SEEN = 0, LOST = 1, ELSE = 2 };

static struct jail_handover handover;
static struct error err;
static int channel[2];
static const char *const before = "was there before";

static int set_up(void **state)
{
    (void)state;
    jail_handover_init(&handover);
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) == 0 && jail_handover_reserve(&handover, &err) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    jail_handover_deinit(&handover);
    (void)close(channel[0]);
    return 0;
}

/* A process made now, which receives, and ends with what `look` returns. */
static pid_t start(int (*look)(const struct jail_launch *l))
{
    pid_t pid = fork();

    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        (void)close(channel[0]);
        _exit(jail_handover_receive(&handover, channel[1]) ? look(handover.launch) : LOST);
    }
    (void)close(channel[1]);
    return pid;
}

static void assert_ends(pid_t pid, int expected)
{
    int status = 0;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

static int look_at_texts(const struct jail_launch *l)
{
    return strcmp(l->authority, "made after") == 0 && l->environment[0] == before && l->control == channel[1] ? SEEN : ELSE;
}

static void pointers_mean_the_same_to_both(void **state)
{
    (void)state;
    pid_t pid = start(look_at_texts);
    char **environment = arena_array(&handover.arena, 2, sizeof(*environment), &err);
    assert_non_null(environment);
    environment[0] = (char *)(uintptr_t)before;
    environment[1] = NULL;
    handover.launch->environment = environment;
    handover.launch->authority = arena_string(&handover.arena, span_str("made after"), &err);
    assert_true(jail_handover_send(&handover, channel[0], -1, &err));
    assert_ends(pid, SEEN);
}

/* What the other end of a pipe of the sender's hears. */
static int write_into_all(const struct jail_launch *l)
{
    bool has_others = l->stdio[0] >= 0 || l->stdio[2] >= 0 || l->egress >= 0 || l->inputs[0] >= 0 || l->cgroup_fds[0] >= 0;

    return !has_others && write(l->stdio[1], "a", 1) == 1 && write(l->inputs[JAIL_INPUTS_MAX - 1], "b", 1) == 1 &&
                   write(l->cgroup_fds[2], "c", 1) == 1
               ? SEEN
               : ELSE;
}

static void descriptors_are_the_same_ones_under_numbers_of_its_own(void **state)
{
    int pipes[3][2];
    char heard = 0;

    (void)state;
    pid_t pid = start(write_into_all);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
    }
    handover.launch->stdio[1] = pipes[0][1];
    handover.launch->inputs[JAIL_INPUTS_MAX - 1] = pipes[1][1];
    handover.launch->cgroup_fds[2] = pipes[2][1];
    assert_true(jail_handover_send(&handover, channel[0], -1, &err));
    jail_handover_close(&handover);
    assert_int_equal(handover.launch->stdio[1], -1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(read(pipes[i][0], &heard, 1), 1);
        assert_int_equal(heard, 'a' + i);
        assert_int_equal(read(pipes[i][0], &heard, 1), 0); /* nobody has the other end any more */
        (void)close(pipes[i][0]);
    }
    assert_ends(pid, SEEN);
}

static int look_at_much(const struct jail_launch *l)
{
    for (size_t i = 0; i < LARGE; i++) {
        if (l->authority[i] != (char)(i % 251)) {
            return ELSE;
        }
    }
    return SEEN;
}

static void more_than_a_channel_holds_arrives(void **state)
{
    (void)state;
    pid_t pid = start(look_at_much);
    char *much = arena_alloc(&handover.arena, LARGE, &err);
    assert_non_null(much);
    for (size_t i = 0; i < LARGE; i++) {
        much[i] = (char)(i % 251);
    }
    handover.launch->authority = much;
    assert_true(jail_handover_send(&handover, channel[0], -1, &err));
    assert_ends(pid, SEEN);
}

static void a_sender_that_goes_leaves_nothing_to_go_on_with(void **state)
{
    (void)state;
    pid_t pid = start(look_at_texts);
    assert_int_equal(shutdown(channel[0], SHUT_RDWR), 0);
    assert_ends(pid, LOST);
}

static void a_sender_that_goes_in_the_middle_does_so_too(void **state)
{
    const struct jail_message go = {.kind = JAIL_MESSAGE_GO, .bytes = LARGE};

    (void)state;
    pid_t pid = start(look_at_texts);
    assert_true(jail_message_send(channel[0], &go, NULL, 0));
    assert_int_equal(send(channel[0], handover.memory, 100, 0), 100);
    assert_int_equal(shutdown(channel[0], SHUT_RDWR), 0);
    assert_ends(pid, LOST);
}

static void more_than_there_is_room_for_is_not_taken(void **state)
{
    const struct jail_message go = {.kind = JAIL_MESSAGE_GO, .bytes = SIZE_MAX};

    (void)state;
    pid_t pid = start(look_at_texts);
    assert_true(jail_message_send(channel[0], &go, NULL, 0));
    assert_ends(pid, LOST);
}

static void nothing_is_taken_without_its_descriptors(void **state)
{
    int ends[2];

    (void)state;
    pid_t pid = start(write_into_all);
    assert_int_equal(prlimit(pid, RLIMIT_NOFILE, &(struct rlimit){0, 0}, NULL), 0);
    assert_int_equal(pipe(ends), 0);
    handover.launch->cgroup_fds[2] = ends[1];
    assert_true(jail_handover_send(&handover, channel[0], -1, &err));
    assert_ends(pid, LOST);
    (void)close(ends[0]);
}

static void who_is_told_to_end_does_not_wait_for_one_that_reads_nothing(void **state)
{
    int cancel[2];

    (void)state;
    assert_int_equal(pipe(cancel), 0);
    assert_int_equal(write(cancel[1], "", 1), 1);
    assert_non_null(arena_alloc(&handover.arena, LARGE, &err));
    assert_false(jail_handover_send(&handover, channel[0], cancel[0], &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    for (int i = 0; i < 2; i++) {
        (void)close(cancel[i]);
    }
    (void)close(channel[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pointers_mean_the_same_to_both, set_up, tear_down),
        cmocka_unit_test_setup_teardown(descriptors_are_the_same_ones_under_numbers_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_than_a_channel_holds_arrives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sender_that_goes_leaves_nothing_to_go_on_with, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sender_that_goes_in_the_middle_does_so_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_than_there_is_room_for_is_not_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_taken_without_its_descriptors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_is_told_to_end_does_not_wait_for_one_that_reads_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
