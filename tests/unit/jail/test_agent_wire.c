#include "testing.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "jail/lease/agent_wire.h"
#include "support/descriptors_open.h"
#include "unit/socket_pair.h"

static void descriptors_come_out_where_they_went_in(void **state)
{
    struct agent_handles sent, came;
    struct agent_message m, got;

    (void)state;
    agent_message_init(&m, WIRE_HELLO);
    agent_handles_init(&sent);
    sent.fds[AGENT_HANDLE_KILL] = open("/dev/null", O_WRONLY);
    sent.fds[AGENT_HANDLE_CUT] = open("/dev/zero", O_RDONLY);
    sent.is_unified_quota = true;
    assert_true(agent_message_send(ends[0], &m, &sent));
    assert_int_equal(agent_message_receive(ends[1], &got, &came), AGENT_RECEIVED);
    assert_true(got.kind == WIRE_HELLO && came.is_unified_quota);
    assert_true(came.fds[AGENT_HANDLE_KILL] >= 0 && came.fds[AGENT_HANDLE_CUT] >= 0 && came.fds[AGENT_HANDLE_INIT] < 0);
    assert_int_equal(fcntl(came.fds[AGENT_HANDLE_KILL], F_GETFL) & O_ACCMODE, O_WRONLY);
    assert_int_equal(fcntl(came.fds[AGENT_HANDLE_CUT], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    agent_handles_close(&sent);
    agent_handles_close(&came);
}

/* One more than a HELLO may have: CMSG_SPACE has room for it, the array of the receiver has not. */
static void a_descriptor_too_many_is_refused_and_none_stays_open(void **state)
{
    const int sent[AGENT_HANDLES + 1] = {0};
    struct agent_handles came;
    struct agent_message m, got;
    int before = descriptors_open();

    (void)state;
    agent_message_init(&m, WIRE_HELLO);
    m.handles = (1U << AGENT_HANDLES) - 1;
    assert_true(descriptors_send(ends[0], &m, sizeof(m), sent, COUNT(sent), 0));
    assert_int_equal(agent_message_receive(ends[1], &got, &came), AGENT_BROKEN);
    assert_int_equal(came.fds[AGENT_HANDLE_INIT], -1);
    assert_int_equal(descriptors_open(), before);
}

static void nothing_and_the_end_are_distinguished(void **state)
{
    struct agent_message m;

    (void)state;
    assert_int_equal(agent_message_receive(ends[1], &m, NULL), AGENT_NOTHING);
    (void)shutdown(ends[0], SHUT_RDWR);
    assert_int_equal(agent_message_receive(ends[1], &m, NULL), AGENT_CLOSED);
}

static void what_is_no_message_is_broken_and_leaves_no_descriptor(void **state)
{
    struct agent_handles handles;
    struct agent_message m, got;

    (void)state;
    agent_message_init(&m, WIRE_HELLO);
    memset(m.agent, 'a', sizeof(m.agent)); /* no end */
    agent_handles_init(&handles);
    handles.fds[AGENT_HANDLE_KILL] = STDIN_FILENO;
    int before = descriptors_open();
    assert_true(agent_message_send(ends[0], &m, &handles));
    assert_int_equal(agent_message_receive(ends[1], &got, &handles), AGENT_BROKEN);
    assert_int_equal(handles.fds[AGENT_HANDLE_KILL], -1);
    m.agent[0] = '\0';
    m.version++;
    assert_true(agent_message_send(ends[0], &m, NULL));
    assert_int_equal(agent_message_receive(ends[1], &got, NULL), AGENT_BROKEN);
    assert_int_equal(send(ends[0], "short", 5, 0), 5);
    assert_int_equal(agent_message_receive(ends[1], &got, NULL), AGENT_BROKEN);
    agent_message_init(&m, WIRE_LEASE);
    handles.fds[AGENT_HANDLE_KILL] = STDIN_FILENO;
    assert_true(agent_message_send(ends[0], &m, &handles)); /* descriptors where none are expected */
    assert_int_equal(agent_message_receive(ends[1], &got, NULL), AGENT_BROKEN);
    assert_int_equal(descriptors_open(), before);
}

static void only_pidfds_and_files_of_control_groups_are_right(void **state)
{
    struct agent_handles h;

    (void)state;
    agent_handles_init(&h);
    assert_true(agent_handles_are_right(&h));
    h.fds[AGENT_HANDLE_INIT] = (int)syscall(SYS_pidfd_open, getpid(), 0);
    assert_true(agent_handles_are_right(&h));
    h.fds[AGENT_HANDLE_KILL] = open("/dev/null", O_WRONLY);
    assert_false(agent_handles_are_right(&h));
    (void)close(h.fds[AGENT_HANDLE_KILL]);
    h.fds[AGENT_HANDLE_KILL] = -1;
    (void)close(h.fds[AGENT_HANDLE_INIT]);
    h.fds[AGENT_HANDLE_INIT] = open("/dev/null", O_RDONLY);
    assert_false(agent_handles_are_right(&h));
    agent_handles_close(&h);
}

static void a_target_goes_through_handles_unchanged(void **state)
{
    struct jail_kill_target t, back;
    struct agent_handles h;

    (void)state;
    jail_kill_init(&t);
    t.kill = 11;
    t.pidfd = 12;
    t.quota = 13;
    t.is_unified_quota = true;
    agent_handles_of(&t, &h);
    agent_handles_take(&h, &back);
    assert_memory_equal(&t, &back, sizeof(t));
    assert_int_equal(h.fds[AGENT_HANDLE_KILL], -1);
}

static void where_nobody_listens_there_is_no_connection(void **state)
{
    struct error err;

    (void)state;
    assert_int_equal(agent_wire_connect("/nowhere/agents.sock", &err), -1);
    assert_non_null(strstr(err.text, "/nowhere/agents.sock"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(descriptors_come_out_where_they_went_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_and_the_end_are_distinguished, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_descriptor_too_many_is_refused_and_none_stays_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_message_is_broken_and_leaves_no_descriptor, set_up, tear_down),
        cmocka_unit_test(only_pidfds_and_files_of_control_groups_are_right),
        cmocka_unit_test(a_target_goes_through_handles_unchanged),
        cmocka_unit_test(where_nobody_listens_there_is_no_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
