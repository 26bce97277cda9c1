#include "testing.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jail/kill/kill.h"
#include "jail/kill/members.h"

enum { BOMB = 1000, DEADLINE_MS = 20000 };

static struct jail_cgroups groups;
static struct jail_kill_target target;
static struct error err;

/* Groups are made for each test; one that this machine does not give is skipped, and said. */
static int make(bool has_unified)
{
    static int n;
    char name[32];

    jail_kill_init(&target);
    (void)snprintf(name, sizeof(name), "%d-test-%d", (int)getpid(), n++);
    if (!jail_cgroups_find_own(&groups, &err)) {
        return 1;
    }
    for (size_t i = groups.n; !has_unified && i-- > 0;) {
        if (groups.trees[i].is_unified) {
            groups.trees[i] = groups.trees[--groups.n];
        }
    }
    jail_cgroups_name(&groups, name);
    jail_cgroups_make(&groups);
    jail_kill_open(&target, &groups, -1);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    return make(true);
}

static int set_up_version_one(void **state)
{
    (void)state;
    return make(false);
}

static int tear_down(void **state)
{
    (void)state;
    jail_kill_close(&target);
    jail_cgroups_close(&groups);
    return jail_cgroups_remove(&groups) ? 0 : 1;
}

static void need(bool is_there, const char *what)
{
    if (!is_there) {
        print_message("skip: this machine gives no %s\n", what);
        skip();
    }
}

/* Starts `run` inside the groups. */
static pid_t start(void (*run)(void))
{
    pid_t pid = 0;

    if (!jail_cgroups_fork(&groups, &pid, &err)) {
        fail_msg("%s", err.text);
    }
    if (pid == 0) {
        run();
        _exit(0);
    }
    return pid;
}

/* Forks as long as it may, out of every session and group, and goes on when it may not; for half a
 * minute, should the test itself die. */
static void bomb(void)
{
    for (time_t end = time(NULL) + 30; time(NULL) < end;) {
        pid_t child = fork();
        if (child == 0) {
            (void)setsid();
            if (fork() > 0) {
                _exit(0);
            }
        } else if (child < 0) {
            (void)sched_yield();
        }
    }
}

/* Should the test itself die, it does so, too. */
static void sleeper(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (;;) {
        (void)pause();
    }
}

static void wait_for_processes(int64_t n)
{
    char text[32];

    for (;;) {
        ssize_t len = pread(target.pids_current, text, sizeof(text) - 1, 0);
        assert_true(len > 0);
        text[len] = '\0';
        if (strtoll(text, NULL, 10) >= n) {
            return;
        }
        (void)usleep(1000);
    }
}

static void a_fork_bomb_of_a_thousand_ends(void **state)
{
    (void)state;
    need(target.kill >= 0, "cgroup.kill");
    need(target.pids_max >= 0, "limit of processes: a bomb needs one");
    assert_true(jail_cgroups_limit_pids(&groups, BOMB, &err));
    pid_t pid = start(bomb);
    wait_for_processes(BOMB * 9 / 10);
    struct jail_kill_report r = jail_kill(&target, DEADLINE_MS);
    print_message("%lld processes ended in %lld us\n", (long long)r.processes, (long long)r.total_us);
    assert_true(r.is_verified);
    assert_int_equal(r.survivors, 0);
    assert_true(r.processes >= BOMB * 9 / 10);
    const unsigned expected = JAIL_KILL_STEP_CGROUP_KILL | JAIL_KILL_STEP_PIDS_MAX | JAIL_KILL_STEP_EACH;
    assert_int_equal(r.steps & expected, expected);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void without_cgroup_kill_each_process_ends(void **state)
{
    (void)state;
    need(target.pids_max >= 0 && target.folder >= 0 && target.freezer >= 0, "freezer and limit of processes");
    assert_true(jail_cgroups_limit_pids(&groups, 100, &err));
    assert_int_equal(target.kill, -1);
    pid_t pid = start(bomb);
    wait_for_processes(90);
    struct jail_kill_report r = jail_kill(&target, DEADLINE_MS);
    assert_true(r.is_verified);
    assert_true((r.steps & (JAIL_KILL_STEP_EACH | JAIL_KILL_STEP_FREEZE)) == (JAIL_KILL_STEP_EACH | JAIL_KILL_STEP_FREEZE));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Whatever holds up cgroup.kill: here it is not there at all, and nothing is frozen. */
static void members_are_signalled_one_by_one(void **state)
{
    enum { N = 600 }; /* two parts of the list */
    static pid_t pids[N];

    (void)state;
    need(target.kill >= 0, "version 2 group");
    pid_t outside = fork();
    if (outside == 0) {
        sleeper();
    }
    for (size_t i = 0; i < N; i++) {
        pids[i] = start(sleeper);
    }
    /* A list that takes several reads may leave one out, or have it twice. */
    assert_true(jail_members_each(target.procs, NULL, NULL) >= N * 9 / 10);
    assert_true(jail_members_kill(target.procs) >= N * 9 / 10);
    while (!jail_kill_is_over(&target)) {
        (void)jail_members_kill(target.procs);
    }
    for (size_t i = 0; i < N; i++) {
        int status = 0;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    assert_int_equal(jail_members_kill(target.procs), 0);
    assert_int_equal(waitpid(outside, NULL, WNOHANG), 0);
    assert_int_equal(kill(outside, SIGKILL), 0);
    assert_int_equal(waitpid(outside, NULL, 0), outside);
}

static void take_for_first(pid_t pid)
{
    target.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(target.pidfd >= 0);
}

static void whoever_is_left_alone_is_told_to_die(void **state)
{
    int status = 0;

    (void)state;
    need(target.pids_current >= 0, "group that counts its processes");
    pid_t pid = start(sleeper);
    take_for_first(pid);
    wait_for_processes(1);
    assert_true(jail_kill_last(&target));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void whoever_is_not_alone_is_not_called_the_last(void **state)
{
    (void)state;
    need(target.pids_current >= 0, "group that counts its processes");
    pid_t pid = start(sleeper), other = start(sleeper);
    take_for_first(pid);
    wait_for_processes(2);
    assert_false(jail_kill_last(&target));
    assert_int_equal(waitpid(pid, NULL, 0), pid); /* told to die all the same */
    assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
    assert_true(jail_kill(&target, DEADLINE_MS).is_verified);
    assert_int_equal(waitpid(other, NULL, 0), other);
}

static void without_a_control_group_no_process_is_the_last(void **state)
{
    struct jail_kill_target uncounted;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        sleeper();
    }
    jail_kill_init(&uncounted);
    uncounted.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(uncounted.pidfd >= 0);
    assert_false(jail_kill_last(&uncounted));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    jail_kill_close(&uncounted);
}

static void frozen_processes_end(void **state)
{
    (void)state;
    need(target.kill >= 0 && target.freeze >= 0, "cgroup.freeze");
    pid_t pid = start(sleeper);
    assert_true(jail_kill_freeze(&target));
    assert_true(jail_kill(&target, DEADLINE_MS).is_verified);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void an_empty_group_is_over_at_once(void **state)
{
    (void)state;
    need(target.events >= 0, "version 2 group");
    struct jail_kill_report r = jail_kill(&target, DEADLINE_MS);
    assert_true(r.is_verified);
    assert_int_equal(r.rounds, 1);
}

static void a_process_is_made_in_every_group(void **state)
{
    char text[64], expected[32];

    (void)state;
    need(target.kill >= 0, "cgroup.kill");
    pid_t pid = start(sleeper);
    (void)snprintf(expected, sizeof(expected), "%d\n", (int)pid);
    for (size_t i = 0; i < groups.n; i++) {
        for (bool is_in = groups.trees[i].fd < 0; !is_in;) { /* it goes into groups of version 1 by itself */
            assert_true(jail_cgroup_read(groups.trees[i].fd, "cgroup.procs", text, sizeof(text)));
            is_in = strcmp(text, expected) == 0;
            assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        }
    }
    assert_true(jail_kill(&target, DEADLINE_MS).is_verified);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void what_cannot_be_seen_is_not_called_over(void **state)
{
    struct jail_kill_target nothing;

    (void)state;
    jail_kill_init(&nothing);
    struct jail_kill_report r = jail_kill(&nothing, 10);
    assert_false(r.is_verified);
    assert_int_equal(r.steps, 0);
    assert_int_equal(r.survivors, -1);
    assert_false(jail_kill_is_ready(&nothing));
}

static void readiness_is_tested_and_kills_nobody(void **state)
{
    (void)state;
    need(target.kill >= 0, "cgroup.kill");
    pid_t pid = start(sleeper);
    assert_true(jail_kill_is_ready(&target));
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    assert_true(jail_kill(&target, DEADLINE_MS).is_verified);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(rmdir(jail_cgroups_unified(&groups)->path), 0);
    assert_false(jail_kill_is_ready(&target)); /* the group is gone, its descriptor answers no more */
}

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL) {
        n++;
    }
    (void)closedir(folder);
    return n;
}

static void killing_opens_nothing(void **state)
{
    const struct rlimit none = {0, 0};
    struct rlimit before;

    (void)state;
    need(target.kill >= 0, "cgroup.kill");
    pid_t pid = start(sleeper);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int n = count_descriptors();
    assert_int_equal(prlimit(0, RLIMIT_NOFILE, &(struct rlimit){none.rlim_cur, before.rlim_max}, NULL), 0);
    struct jail_kill_report r = jail_kill(&target, DEADLINE_MS);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(r.is_verified);
    assert_int_equal(count_descriptors(), n);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fork_bomb_of_a_thousand_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_cgroup_kill_each_process_ends, set_up_version_one, tear_down),
        cmocka_unit_test_setup_teardown(members_are_signalled_one_by_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_is_left_alone_is_told_to_die, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_is_not_alone_is_not_called_the_last, set_up, tear_down),
        cmocka_unit_test(without_a_control_group_no_process_is_the_last),
        cmocka_unit_test_setup_teardown(frozen_processes_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_process_is_made_in_every_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_group_is_over_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_seen_is_not_called_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(readiness_is_tested_and_kills_nobody, set_up, tear_down),
        cmocka_unit_test_setup_teardown(killing_opens_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
