#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jail/cgroup/cgroup.h"

static struct jail_cgroups groups;
static struct error err;

static void version_one_is_found_by_controller(void **state)
{
    static const char membership[] = "8:pids:/a\n6:freezer:/\n4:memory:/x/y\n2:cpu,cpuacct:/z\n1:name=systemd:/\n";
    static const char mounts[] =
        "30 20 0:26 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
        "31 20 0:27 / /sys/fs/cgroup/memory rw,relatime shared:3 - cgroup cgroup rw,memory\n"
        "32 20 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "33 20 0:29 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
        "34 20 0:30 / /tmp rw - tmpfs tmpfs rw\n";

    (void)state;
    jail_cgroups_find(&groups, span_str(membership), span_str(mounts));
    assert_int_equal(groups.n, 3);
    assert_string_equal(groups.trees[0].parent, "/sys/fs/cgroup/pids/a");
    assert_int_equal(groups.trees[0].controllers, 1U << JAIL_CONTROLLER_PIDS);
    assert_string_equal(groups.trees[1].parent, "/sys/fs/cgroup/memory/x/y");
    assert_int_equal(groups.trees[2].controllers, 1U << JAIL_CONTROLLER_CPU | 1U << JAIL_CONTROLLER_CPUACCT);
    assert_false(groups.trees[0].is_unified);
}

static void version_two_is_found_with_and_without_version_one(void **state)
{
    static const char hybrid[] = "8:pids:/\n0::/user.slice\n";
    static const char mounts[] = "30 20 0:26 / /c/pids rw - cgroup cgroup rw,pids\n"
                                 "31 20 0:27 / /c/unified rw - cgroup2 cgroup2 rw\n";

    (void)state;
    jail_cgroups_find(&groups, span_str(hybrid), span_str(mounts));
    assert_int_equal(groups.n, 2);
    assert_string_equal(groups.trees[0].parent, "/c/pids");
    assert_string_equal(groups.trees[1].parent, "/c/unified/user.slice");
    assert_true(groups.trees[1].is_unified);
    jail_cgroups_find(&groups, span_str("0::/\n"), span_str("31 20 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"));
    assert_int_equal(groups.n, 1);
    assert_string_equal(groups.trees[0].parent, "/sys/fs/cgroup");
}

static void a_mount_of_a_part_is_counted_from_there(void **state)
{
    (void)state;
    jail_cgroups_find(&groups, span_str("0::/docker/abc/sub\n"),
                      span_str("31 20 0:27 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"));
    assert_int_equal(groups.n, 1);
    assert_string_equal(groups.trees[0].parent, "/sys/fs/cgroup/sub");
    jail_cgroups_find(&groups, span_str("0::/../other\n"),
                      span_str("31 20 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"));
    assert_int_equal(groups.n, 0);
}

static void damaged_texts_yield_nothing(void **state)
{
    static const char *const texts[] = {"", "\n", ":", "0:", "0::", "x", "0::/\n\n", "- cgroup2", "1 2 3 / /c - ",
                                        "1 2 3 / /c rw - cgroup2", "1 2 3 / /c rw - cgroup2 c", "        "};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t k = 0; k < COUNT(texts); k++) {
            jail_cgroups_find(&groups, span_str(texts[i]), span_str(texts[k]));
            assert_true(groups.n <= 1);
        }
    }
}

static void what_cannot_be_made_is_said_and_limits_are_refused(void **state)
{
    (void)state;
    jail_cgroups_find(&groups, span_str("0::/\n"), span_str("31 20 0:27 / /no/such/folder rw - cgroup2 cgroup2 rw\n"));
    jail_cgroups_name(&groups, "t");
    jail_cgroups_make(&groups);
    assert_null(jail_cgroups_unified(&groups));
    assert_false(jail_cgroups_limit_memory(&groups, 1 << 30, &err));
    assert_string_equal(err.text, "no control group with memory can be made here");
    assert_false(jail_cgroups_limit_pids(&groups, 8, &err));
    assert_false(jail_cgroups_limit_cpu(&groups, 1000, &err));
    assert_int_equal(jail_cgroups_cpu_ms(&groups), -1);
    assert_true(jail_cgroups_remove(&groups));
}

/* A folder of plain files stands for a version 2 hierarchy that hands down its controllers. */
static void version_two_limits_go_into_its_files(void **state)
{
    static const char *const files[] = {"memory.max", "memory.swap.max", "pids.max", "cpu.max"};
    static const char *const expected[] = {"1048576", "0", "64", "150000 100000"};
    char folder[] = "/tmp/filterd-jail-cgroup-XXXXXX", line[128], path[128], text[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(line, sizeof(line), "31 20 0:27 / %s rw - cgroup2 cgroup2 rw\n", folder);
    jail_cgroups_find(&groups, span_str("0::/\n"), span_str(line));
    assert_int_equal(groups.n, 1);
    groups.trees[0].fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    groups.trees[0].controllers = 7;
    for (size_t i = 0; i < COUNT(files); i++) {
        int fd = openat(groups.trees[0].fd, files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(fd >= 0 && close(fd) == 0);
    }
    assert_true(jail_cgroups_limit_memory(&groups, 1048576, &err));
    assert_true(jail_cgroups_limit_swap(&groups, 1048576, 0, &err));
    assert_true(jail_cgroups_limit_pids(&groups, 64, &err));
    assert_true(jail_cgroups_limit_cpu(&groups, 1500, &err));
    for (size_t i = 0; i < COUNT(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = read(fd, text, sizeof(text) - 1);
        assert_true(n >= 0 && close(fd) == 0);
        text[n] = '\0';
        assert_string_equal(text, expected[i]);
        (void)unlink(path);
    }
    jail_cgroups_close(&groups);
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_one_is_found_by_controller),
        cmocka_unit_test(version_two_is_found_with_and_without_version_one),
        cmocka_unit_test(a_mount_of_a_part_is_counted_from_there),
        cmocka_unit_test(damaged_texts_yield_nothing),
        cmocka_unit_test(what_cannot_be_made_is_said_and_limits_are_refused),
        cmocka_unit_test(version_two_limits_go_into_its_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
