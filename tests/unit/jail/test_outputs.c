#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jail/launcher/outputs.h"

enum { KIB = 1024, MIB = 1024 * KIB };

/* Each test has a folder with the outputs `in` and the quarantine `q`, into which they go as `q/run`. */
static char top[] = "/tmp/filterd-test-outputs-XXXXXX";
static struct error err;
static struct jail_policy policy;
static struct jail_outputs_report report;

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *at)
{
    (void)info;
    (void)flag;
    (void)at;
    return remove(path);
}

static int set_up(void **state)
{
    (void)state;
    memset(top + strlen(top) - 6, 'X', 6);
    assert_non_null(mkdtemp(top));
    assert_int_equal(chdir(top), 0);
    assert_int_equal(mkdir("in", 0755), 0);
    assert_int_equal(mkdir("q", 0700), 0);
    policy = (struct jail_policy){.outputs = {.path = "/out", .quarantine = "q", .bytes = MIB, .files = 100, .deadline = 3600000}};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)umount2("in", MNT_DETACH);
    (void)umount2("q", MNT_DETACH);
    assert_int_equal(chdir("/"), 0);
    return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* File systems of the test's own: in a mount namespace, which an ordinary user may need another for. */
static bool has_mounts;

static bool write_proc(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    return fd >= 0 && close(fd) == 0 && is_written;
}

static int leave_machine(void **state)
{
    char users[64], groups[64];

    (void)state;
    (void)snprintf(users, sizeof(users), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    (void)snprintf(groups, sizeof(groups), "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    has_mounts = unshare(CLONE_NEWNS) == 0 ||
                 (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_proc("/proc/self/setgroups", "deny") &&
                  write_proc("/proc/self/uid_map", users) && write_proc("/proc/self/gid_map", groups));
    has_mounts = has_mounts && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    return 0;
}

static void mount_on(const char *place, const char *type, const char *options)
{
    if (!has_mounts || mount("none", place, type, 0, options) != 0) {
        print_message("skip: a file system of type %s cannot be mounted here: %s\n", type, strerror(errno));
        skip();
    }
}

/* A file of `size` bytes whose first `written` are 'x' and the rest a hole. */
static void put(const char *path, int64_t written, int64_t size)
{
    char block[4 * KIB];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(fd >= 0);
    memset(block, 'x', sizeof(block));
    for (int64_t at = 0; at < written;) {
        size_t n = (size_t)(written - at < (int64_t)sizeof(block) ? written - at : (int64_t)sizeof(block));
        assert_int_equal(write(fd, block, n), n);
        at += (int64_t)n;
    }
    assert_int_equal(ftruncate(fd, size), 0);
    assert_int_equal(close(fd), 0);
}

static bool collect(void)
{
    int in = open("in", O_RDONLY | O_DIRECTORY), q = open("q", O_RDONLY | O_DIRECTORY);

    assert_true(in >= 0 && q >= 0);
    err.text[0] = '\0';
    bool is_good = jail_outputs_collect(&policy, in, q, "run", &report, &err);
    assert_int_equal(close(in), 0);
    assert_int_equal(close(q), 0);
    return is_good;
}

static bool is_there(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

static int64_t disk_use(const char *path)
{
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    return (int64_t)info.st_blocks * 512;
}

static void assert_same(const char *left, const char *right)
{
    static char a[MIB], b[MIB];
    int f = open(left, O_RDONLY), g = open(right, O_RDONLY);
    ssize_t n;

    assert_true(f >= 0 && g >= 0);
    do {
        n = read(f, a, sizeof(a));
        assert_true(n >= 0);
        assert_int_equal(read(g, b, sizeof(b)), n);
        assert_memory_equal(a, b, (size_t)n);
    } while (n > 0);
    (void)close(f);
    (void)close(g);
}

static void assert_refused(enum jail_outputs_refusal why, int64_t n)
{
    assert_int_equal(report.refused[why], n);
    assert_int_equal(jail_outputs_refused(&report), n);
}

/* --- holes ---------------------------------------------------------------- */

static void holes_stay_holes_and_cost_nothing(void **state)
{
    (void)state;
    mount_on("in", "tmpfs", "size=4m");
    put("in/empty", 0, (int64_t)1 << 30);
    put("in/begins", 8 * KIB, 64 * MIB);
    assert_true(collect());
    assert_refused(JAIL_OUTPUTS_KIND, 0);
    assert_int_equal(report.files, 2);
    assert_int_equal(report.bytes, 8 * KIB);
    struct stat info;
    assert_int_equal(stat("q/run/empty", &info), 0);
    assert_int_equal(info.st_size, (int64_t)1 << 30);
    assert_int_equal(disk_use("q/run/empty"), 0);
    assert_true(disk_use("q/run/begins") <= 64 * KIB);
    assert_same("in/begins", "q/run/begins");
}

static void what_stands_between_holes_stays_where_it_was(void **state)
{
    (void)state;
    mount_on("in", "tmpfs", "size=4m");
    put("in/f", 0, 3 * MIB + 17);
    int fd = open("in/f", O_WRONLY);
    assert_int_equal(pwrite(fd, "middle", 6, MIB + 5), 6);
    assert_int_equal(pwrite(fd, "end", 3, 3 * MIB + 14), 3);
    assert_int_equal(close(fd), 0);
    assert_true(collect());
    assert_int_equal(report.files, 1);
    assert_same("in/f", "q/run/f");
    assert_true(disk_use("q/run/f") <= 64 * KIB);
}

/* ramfs reserves no room, so nobody knows whether it keeps holes. */
static void where_no_room_is_reserved_a_file_counts_with_its_length(void **state)
{
    (void)state;
    mount_on("in", "tmpfs", "size=4m");
    mount_on("q", "ramfs", NULL);
    put("in/sparse", 4 * KIB, 2 * MIB);
    put("in/plain", 10, 10);
    assert_true(collect());
    assert_refused(JAIL_OUTPUTS_SIZE, 1);
    assert_int_equal(report.files, 1);
    assert_int_equal(report.bytes, 10);
    assert_false(is_there("q/run/sparse"));
    assert_same("in/plain", "q/run/plain");
}

/* --- size ----------------------------------------------------------------- */

static void the_file_that_would_pass_the_size_stays_behind_and_smaller_ones_come(void **state)
{
    (void)state;
    put("in/large", MIB + 1, MIB + 1);
    put("in/small", 100, 100);
    assert_true(collect());
    assert_refused(JAIL_OUTPUTS_SIZE, 1);
    assert_int_equal(report.files, 1);
    assert_false(is_there("q/run/large"));
    assert_same("in/small", "q/run/small");
}

static void files_count_together(void **state)
{
    char path[32];

    (void)state;
    for (int i = 0; i < 5; i++) {
        (void)snprintf(path, sizeof(path), "in/%d", i);
        put(path, 300 * KIB, 300 * KIB);
    }
    assert_true(collect());
    assert_int_equal(report.files, 3);
    assert_int_equal(report.bytes, 3 * 300 * KIB);
    assert_refused(JAIL_OUTPUTS_SIZE, 2);
}

static void a_file_of_just_the_size_comes(void **state)
{
    (void)state;
    put("in/f", MIB, MIB);
    assert_true(collect());
    assert_int_equal(report.bytes, MIB);
    assert_refused(JAIL_OUTPUTS_SIZE, 0);
}

static void no_size_is_no_byte(void **state)
{
    (void)state;
    policy.outputs.bytes = 0;
    put("in/f", 1, 1);
    put("in/nothing", 0, 0);
    assert_true(collect());
    assert_int_equal(report.files, 1);
    assert_refused(JAIL_OUTPUTS_SIZE, 1);
}

static void many_files_in_many_folders_come(void **state)
{
    char path[64];

    (void)state;
    for (int i = 0; i < 20; i++) {
        (void)snprintf(path, sizeof(path), "in/%d", i);
        assert_int_equal(mkdir(path, 0700), 0);
        for (int k = 0; k < 50; k++) {
            (void)snprintf(path, sizeof(path), "in/%d/%d", i, k);
            put(path, k, k);
        }
    }
    assert_true(collect());
    assert_int_equal(report.files, 1000);
    assert_int_equal(report.bytes, 20 * (49 * 50 / 2));
    assert_int_equal(jail_outputs_refused(&report), 0);
    assert_same("in/19/49", "q/run/19/49");
}

/* --- room ----------------------------------------------------------------- */

static void a_full_disk_refuses_the_file_and_leaves_no_part_of_it(void **state)
{
    (void)state;
    mount_on("q", "tmpfs", "size=256k");
    put("in/large", 700 * KIB, 700 * KIB);
    put("in/small", 4 * KIB, 4 * KIB);
    assert_true(collect());
    assert_refused(JAIL_OUTPUTS_ROOM, 1);
    assert_int_equal(report.files, 1);
    assert_int_equal(report.bytes, 4 * KIB);
    assert_false(is_there("q/run/large"));
    assert_same("in/small", "q/run/small");
}

static void names_that_find_no_room_are_refused(void **state)
{
    (void)state;
    mount_on("q", "tmpfs", "nr_inodes=3"); /* its root, the run's folder, one more */
    put("in/1", 1, 1);
    put("in/2", 1, 1);
    assert_int_equal(mkdir("in/folder", 0700), 0);
    assert_true(collect());
    assert_refused(JAIL_OUTPUTS_ROOM, 2);
}

static void a_limit_of_file_sizes_is_a_refusal_not_a_signal(void **state)
{
    struct rlimit before, small;

    (void)state;
    put("in/large", 64 * KIB, 64 * KIB);
    put("in/small", 100, 100);
    (void)signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){16 * KIB, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool is_good = collect();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(is_good);
    assert_refused(JAIL_OUTPUTS_ROOM, 1);
    assert_int_equal(report.files, 1);
    assert_false(is_there("q/run/large"));
}

/* --- time ----------------------------------------------------------------- */

static void when_the_deadline_is_over_nothing_is_copied(void **state)
{
    (void)state;
    policy.outputs.deadline = 0;
    put("in/1", 1, 1);
    put("in/2", 0, 0);
    assert_int_equal(mkdir("in/folder", 0700), 0);
    assert_true(collect());
    assert_refused(JAIL_OUTPUTS_TIME, 3);
    assert_int_equal(report.files, 0);
    assert_string_equal(report.folder, "");
    assert_false(is_there("q/run"));
}

/* However fast the disk: one millisecond is over before 64 MiB are written. */
static void a_file_that_is_not_there_in_time_is_taken_back(void **state)
{
    (void)state;
    mount_on("in", "tmpfs", "size=66m");
    mount_on("q", "tmpfs", "size=66m");
    policy.outputs.bytes = 64 * MIB;
    policy.outputs.deadline = 1;
    put("in/f", 64 * MIB, 64 * MIB);
    assert_true(collect());
    assert_refused(JAIL_OUTPUTS_TIME, 1);
    assert_false(is_there("q/run/f"));
}

/* --- kinds ---------------------------------------------------------------- */

static void only_plain_files_with_one_name_come(void **state)
{
    (void)state;
    put("in/twice", 1, 1);
    put("in/f", 1, 1);
    assert_int_equal(link("in/twice", "in/again"), 0);
    assert_int_equal(symlink("/etc/passwd", "in/link"), 0);
    assert_int_equal(mkfifo("in/pipe", 0600), 0);
    assert_true(collect());
    assert_int_equal(report.files, 1);
    assert_refused(JAIL_OUTPUTS_KIND, 4);
}

static void refusals_have_names(void **state)
{
    (void)state;
    assert_string_equal(jail_outputs_refusal_name(JAIL_OUTPUTS_KIND), "kind");
    assert_string_equal(jail_outputs_refusal_name(JAIL_OUTPUTS_TIME), "time");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(holes_stay_holes_and_cost_nothing),
        TEST(what_stands_between_holes_stays_where_it_was),
        TEST(where_no_room_is_reserved_a_file_counts_with_its_length),
        TEST(the_file_that_would_pass_the_size_stays_behind_and_smaller_ones_come),
        TEST(files_count_together),
        TEST(a_file_of_just_the_size_comes),
        TEST(no_size_is_no_byte),
        TEST(many_files_in_many_folders_come),
        TEST(a_full_disk_refuses_the_file_and_leaves_no_part_of_it),
        TEST(names_that_find_no_room_are_refused),
        TEST(a_limit_of_file_sizes_is_a_refusal_not_a_signal),
        TEST(when_the_deadline_is_over_nothing_is_copied),
        TEST(a_file_that_is_not_there_in_time_is_taken_back),
        TEST(only_plain_files_with_one_name_come),
        cmocka_unit_test(refusals_have_names),
    };
    return cmocka_run_group_tests(tests, leave_machine, NULL);
}
