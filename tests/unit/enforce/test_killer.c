#include "testing.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/killer.h"

static const struct agent_key one = {{"acme", 4}, {"one", 3}}, other = {{"bank", 4}, {"one", 3}};

static struct killer *k;

static int set_up(void **state)
{
    struct error err;

    (void)state;
    k = killer_new(4, &err);
    return k == NULL || !killer_start(k, &err);
}

static int tear_down(void **state)
{
    (void)state;
    killer_free(k);
    return 0;
}

static pid_t sleeper(struct jail_kill_target *t)
{
    pid_t pid = fork();

    if (pid == 0) {
        for (;;) {
            (void)pause();
        }
    }
    jail_kill_init(t);
    t->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(t->pidfd >= 0);
    return pid;
}

static struct kill_outcome await_outcome(void)
{
    struct pollfd p = {.fd = killer_event(k), .events = POLLIN};
    struct kill_outcome o = {.slot = -1};

    for (int i = 0; i < 50 && !killer_next(k, &o); i++) {
        (void)poll(&p, 1, 200);
    }
    return o;
}

static bool is_signalled(pid_t pid)
{
    int status = 0;

    return waitpid(pid, &status, WNOHANG) == pid && WIFSIGNALED(status);
}

static void an_order_ends_the_agent_and_says_so(void **state)
{
    struct jail_kill_target t;
    pid_t pid = sleeper(&t);

    (void)state;
    int slot = killer_add(k, &one, &t, -1);
    assert_int_equal(killer_count(k, &one), 1);
    assert_int_equal(killer_order(k, &one, ORDER_KILL, "a test"), 1);
    struct kill_outcome o = await_outcome();
    assert_true(o.kill.is_verified && o.kill.survivors == 0 && o.tries == 1 && o.slot == slot);
    assert_string_equal(o.why, "a test");
    assert_string_equal(o.tenant, "acme");
    assert_true(is_signalled(pid));
    assert_int_equal(killer_count(k, &one), 0);
    assert_true(killer_remove(k, slot));
    struct killer_health h;
    killer_health(k, &h);
    assert_true(h.kills == 1 && h.unverified == 0 && h.used == 0);
}

static void an_order_is_for_one_agent_of_one_tenant(void **state)
{
    struct jail_kill_target mine, theirs;
    pid_t my_pid = sleeper(&mine), their_pid = sleeper(&theirs);

    (void)state;
    (void)killer_add(k, &one, &mine, -1);
    (void)killer_add(k, &other, &theirs, -1);
    assert_int_equal(killer_order(k, &one, ORDER_KILL, ""), 1);
    assert_true(await_outcome().kill.is_verified);
    assert_true(is_signalled(my_pid));
    assert_int_equal(kill(their_pid, 0), 0);
    assert_int_equal(killer_count(k, &other), 1);
    (void)kill(their_pid, SIGKILL);
    (void)waitpid(their_pid, NULL, 0);
}

static void egress_is_cut_by_the_descriptor_given(void **state)
{
    struct jail_kill_target t;
    int cut = eventfd(0, EFD_NONBLOCK), seen = dup(cut);
    uint64_t n = 0;

    (void)state;
    jail_kill_init(&t);
    (void)killer_add(k, &one, &t, cut);
    (void)killer_order(k, &one, ORDER_CUT | ORDER_FREEZE, "");
    struct kill_outcome o = await_outcome();
    assert_true(o.orders == (ORDER_CUT | ORDER_FREEZE) && o.failed == ORDER_FREEZE);
    assert_true(read(seen, &n, sizeof(n)) == (ssize_t)sizeof(n) && n == 1);
    (void)close(seen);
}

static void what_cannot_be_seen_is_not_called_over(void **state)
{
    struct jail_kill_target t;
    struct killer_health h;

    (void)state;
    jail_kill_init(&t); /* nothing to end it with */
    int slot = killer_add(k, &one, &t, -1);
    (void)killer_order(k, &one, ORDER_KILL, "");
    struct kill_outcome o = await_outcome();
    assert_false(o.kill.is_verified);
    assert_int_equal(o.failed, ORDER_KILL);
    assert_int_equal(killer_count(k, &one), 1);
    assert_false(killer_remove(k, slot)); /* it is tried again */
    killer_health(k, &h);
    assert_true(h.unverified > 0 && h.kills == 0);
}

static void an_ordered_kill_is_reported_once_whatever_its_outcome(void **state)
{
    struct pollfd p = {.fd = killer_event(k), .events = POLLIN};
    char why[KILLER_WHY_MAX];
    struct jail_kill_target t;
    struct kill_outcome o;
    int slot = -1;

    (void)state;
    jail_kill_init(&t);
    int cut_only = killer_add(k, &other, &t, -1);
    int mine = killer_add(k, &one, &t, -1); /* nothing to end it with: tried again and again */
    (void)killer_order(k, &other, ORDER_CUT, "no kill");
    (void)killer_order(k, &one, ORDER_KILL, "a test");
    assert_int_equal(poll(&p, 1, 5000), 1);
    while (killer_next(k, &o)) {
    }
    assert_true(killer_next_ordered(k, &slot, why));
    assert_true(slot == mine && slot != cut_only);
    assert_string_equal(why, "a test");
    (void)killer_order(k, &one, ORDER_KILL, "again");
    assert_false(killer_next_ordered(k, &slot, why));
}

static void a_full_house_takes_nothing_over(void **state)
{
    struct jail_kill_target t;

    (void)state;
    jail_kill_init(&t);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(killer_add(k, &one, &t, -1), i);
    }
    assert_int_equal(killer_add(k, &one, &t, -1), -1);
    assert_true(killer_remove(k, 2));
    assert_int_equal(killer_add(k, &one, &t, -1), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_order_ends_the_agent_and_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_order_is_for_one_agent_of_one_tenant, set_up, tear_down),
        cmocka_unit_test_setup_teardown(egress_is_cut_by_the_descriptor_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_seen_is_not_called_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_ordered_kill_is_reported_once_whatever_its_outcome, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_house_takes_nothing_over, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
