#include "testing.h"

#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sodium.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "jail/root/names.h"
#include "jail/root/snapshot.h"

/* Each test has a folder with the input `in` and the store `out`. */
static char top[] = "/tmp/filterd-test-snapshot-XXXXXX";
static struct error err;
static struct jail_policy policy;
static struct jail_snapshot_store store;
static struct jail_snapshot taken;

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
    assert_int_equal(mkdir("out", 0700), 0);
    memset(&policy, 0, sizeof(policy));
    memset(&taken, 0, sizeof(taken));
    policy.snapshots = (struct jail_copy_limits){.bytes = 1 << 20, .files = 100};
    store = (struct jail_snapshot_store){.policy = &policy, .folder = open("out", O_PATH | O_DIRECTORY), .left = policy.snapshots};
    assert_true(store.folder >= 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)close(store.folder);
    assert_int_equal(chdir("/"), 0);
    return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

static bool take(const char *path, const char *name)
{
    int source = open(path, O_PATH | O_NOFOLLOW);

    err.text[0] = '\0';
    assert_true(source >= 0);
    bool is_taken = jail_snapshot_take(&store, source, name, &taken, &err);
    assert_int_equal(close(source), 0);
    return is_taken;
}

static void assert_holds(const char *path, const char *text)
{
    char found[64] = "";
    int fd = open(path, O_RDONLY | O_NOFOLLOW);

    assert_true(fd >= 0);
    assert_int_equal(read(fd, found, sizeof(found) - 1), strlen(text));
    assert_string_equal(found, text);
    assert_int_equal(close(fd), 0);
}

static mode_t mode_of(const char *path)
{
    struct stat info;

    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode;
}

static bool is_there(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

/* A line of the listing, as the header says it. */
static void add_line(crypto_hash_sha256_state *sum, char kind, const char *content, const char *path)
{
    uint8_t digest[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof(digest) + 1] = "-", line[256];

    if (kind != 'd') {
        (void)crypto_hash_sha256(digest, (const uint8_t *)content, strlen(content));
        (void)sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest));
    }
    int n = snprintf(line, sizeof(line), "%c %zu %s %s", kind, strlen(content), hex, path);
    (void)crypto_hash_sha256_update(sum, (const uint8_t *)line, (size_t)n + 1);
}

static void a_copy_has_what_was_there_and_its_digest_is_that_of_a_listing(void **state)
{
    static const struct {
        char kind;
        const char *content, *path;
    } lines[] = {{'d', "", "."},      {'f', "", "B-empty"}, {'f', "one", "a"},       {'d', "", "dir"},          {'f', "two", "dir/x"},
                 {'d', "", "dir.old"}, {'d', "", "empty"},  {'l', "dir/x", "link"}, {'l', "/etc/passwd", "out"}, {'x', "#!", "run"}};
    crypto_hash_sha256_state sum;
    uint8_t digest[crypto_hash_sha256_BYTES];
    struct stat from, to;

    (void)state;
    put("in/run", "#!", 06751);
    put("in/a", "one", 0604);
    put("in/B-empty", "", 0644);
    assert_int_equal(mkdir("in/dir", 0750) + mkdir("in/dir.old", 0755) + mkdir("in/empty", 0755), 0);
    put("in/dir/x", "two", 0644);
    assert_int_equal(symlink("dir/x", "in/link") + symlink("/etc/passwd", "in/out"), 0);
    assert_true(take("in", "0"));

    assert_int_equal(taken.files, COUNT(lines));
    assert_int_equal(taken.bytes, 8);
    (void)crypto_hash_sha256_init(&sum);
    for (size_t i = 0; i < COUNT(lines); i++) {
        add_line(&sum, lines[i].kind, lines[i].content, lines[i].path);
    }
    (void)crypto_hash_sha256_final(&sum, digest);
    assert_memory_equal(taken.digest, digest, sizeof(digest));

    assert_holds("out/0/a", "one");
    assert_holds("out/0/dir/x", "two");
    assert_int_equal(mode_of("out/0/a"), S_IFREG | 0644);
    assert_int_equal(mode_of("out/0/run"), S_IFREG | 0755);
    assert_int_equal(mode_of("out/0/B-empty"), S_IFREG | 0644);
    assert_int_equal(mode_of("out/0/dir"), S_IFDIR | 0755);
    assert_true(S_ISDIR(mode_of("out/0/empty")));
    assert_true(S_ISLNK(mode_of("out/0/out"))); /* as it was: not what it leads to */
    assert_int_equal(stat("in/dir/x", &from) + stat("out/0/dir/x", &to), 0);
    assert_memory_equal(&from.st_mtim, &to.st_mtim, sizeof(from.st_mtim));
}

static void a_file_is_copied_too(void **state)
{
    crypto_hash_sha256_state sum;
    uint8_t digest[crypto_hash_sha256_BYTES];

    (void)state;
    put("in/a", "one", 0644);
    assert_true(take("in/a", "0"));
    (void)crypto_hash_sha256_init(&sum);
    add_line(&sum, 'f', "one", ".");
    (void)crypto_hash_sha256_final(&sum, digest);
    assert_memory_equal(taken.digest, digest, sizeof(digest));
    assert_int_equal(taken.files, 1);
    assert_int_equal(taken.bytes, 3);
    assert_holds("out/0", "one");
    put("in/a", "", 0644);
    assert_true(take("in/a", "1"));
    assert_holds("out/1", "");
}

static int touch_file(void)
{
    return utimensat(AT_FDCWD, "in/a", (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0);
}

static int take_rights(void)
{
    return chmod("in/a", 0600);
}

static int replace_by_the_same(void)
{
    put("in/A", "one", 0644);
    return rename("in/A", "in/a");
}

static int write_other(void)
{
    put("in/a", "two", 0644);
    return 0;
}

static int rename_file(void)
{
    return rename("in/a", "in/b");
}

static int allow_running(void)
{
    return chmod("in/b", 0755);
}

static int lead_elsewhere(void)
{
    return unlink("in/l") != 0 ? -1 : symlink("x", "in/l");
}

static int add_folder(void)
{
    return mkdir("in/d/d", 0755);
}

static int add_empty_file(void)
{
    put("in/new", "", 0644);
    return 0;
}

static int make_link_a_file(void)
{
    int removed = unlink("in/l");

    put("in/l", "x", 0644);
    return removed;
}

/* The digest is of names, kinds, content; not of times, owners, or other rights. */
static void a_change_of_any_entry_is_another_digest(void **state)
{
    static int (*const changes[])(void) = {write_other, rename_file, allow_running, lead_elsewhere, add_folder, add_empty_file, make_link_a_file};
    static int (*const same[])(void) = {touch_file, take_rights, replace_by_the_same};
    uint8_t before[JAIL_SNAPSHOT_DIGEST];
    char name[8];

    (void)state;
    put("in/a", "one", 0644);
    assert_int_equal(symlink("b", "in/l") + mkdir("in/d", 0755), 0);
    assert_true(take("in", "0"));
    memcpy(before, taken.digest, sizeof(before));
    for (size_t i = 0; i < COUNT(same); i++) {
        (void)snprintf(name, sizeof(name), "s%zu", i);
        assert_int_equal(same[i](), 0);
        assert_true(take("in", name));
        assert_memory_equal(taken.digest, before, sizeof(before));
    }
    for (size_t i = 0; i < COUNT(changes); i++) {
        (void)snprintf(name, sizeof(name), "c%zu", i);
        assert_int_equal(changes[i](), 0);
        assert_true(take("in", name));
        assert_memory_not_equal(taken.digest, before, sizeof(before));
        memcpy(before, taken.digest, sizeof(before));
    }
}

static void denied_names_are_not_copied_nor_opened(void **state)
{
    uint8_t before[JAIL_SNAPSHOT_DIGEST];

    (void)state;
    policy.denied_names[policy.n_denied_names++] = "*.env";
    put("in/a", "one", 0644);
    assert_true(take("in", "0"));
    memcpy(before, taken.digest, sizeof(before));
    put("in/.env", "secret", 0000);
    assert_int_equal(mkdir("in/x.ENV", 0000) + mkfifo("in/pipe.env", 0600), 0);
    assert_true(take("in", "1"));
    assert_false(is_there("out/1/.env") || is_there("out/1/x.ENV") || is_there("out/1/pipe.env"));
    assert_memory_equal(taken.digest, before, sizeof(before));
    /* For a honeytoken there is a place, of files alone; it is no part of what was taken. */
    policy.on_denied = JAIL_DENIED_HONEYTOKEN;
    assert_true(take("in", "2"));
    assert_holds("out/2/.env", "");
    assert_false(is_there("out/2/x.ENV") || is_there("out/2/pipe.env"));
    assert_memory_equal(taken.digest, before, sizeof(before));
    assert_int_equal(rmdir("in/x.ENV"), 0);
}

static void what_is_neither_file_nor_folder_nor_link_is_refused(void **state)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "in/s"};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)state;
    assert_int_equal(mkdir("in/d", 0755) + mkfifo("in/d/p\033ipe", 0666), 0);
    assert_false(take("in", "0"));
    assert_string_equal(err.text, "d/p?ipe: a file, a folder or a link expected (deny_names leaves out)");
    assert_int_equal(unlink("in/d/p\033ipe"), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
    assert_false(take("in", "1"));
    assert_string_equal(err.text, "s: a file, a folder or a link expected (deny_names leaves out)");
    (void)close(fd);
}

/* Also as root: a copy is made without its capabilities, and they are back afterwards. */
static void what_may_not_be_read_is_refused(void **state)
{
    (void)state;
    put("in/a", "one", 0000);
    assert_false(take("in", "0"));
    assert_string_equal(err.text, "a: the jail's user may not read it (deny_names leaves out)");
    assert_int_equal(geteuid() == 0 ? access("in/a", R_OK) : 0, 0);
    put("in/b", "two", 0644);
    assert_int_equal(unlink("in/a") + mkdir("in/d", 0000), 0);
    assert_false(take("in", "1"));
    assert_string_equal(err.text, "d: the jail's user may not read it (deny_names leaves out)");
    assert_int_equal(chmod("in/d", 0755), 0);
    assert_true(take("in", "2"));
}

static void copies_of_all_inputs_together_have_so_many_bytes(void **state)
{
    const off_t page = sysconf(_SC_PAGESIZE);
    char expected[128];

    (void)state;
    policy.snapshots.bytes = store.left.bytes = 3 * page;
    put("in/a", "", 0644);
    assert_int_equal(truncate("in/a", page + 1), 0);
    assert_true(take("in/a", "0"));
    assert_int_equal(store.left.bytes, page);
    assert_false(take("in/a", "1"));
    (void)snprintf(expected, sizeof(expected), ".: its %lld bytes are more than is left of snapshots.size, %lld", (long long)page + 1,
                   (long long)(3 * page));
    assert_string_equal(err.text, expected);
    assert_false(is_there("out/1")); /* before anything was made */
    assert_int_equal(truncate("in/a", page), 0);
    assert_true(take("in/a", "2"));
    put("in/a", "", 0644);
    assert_true(take("in/a", "3")); /* no byte is no page */
    put("in/a", "1", 0644);
    assert_false(take("in/a", "4"));
    assert_int_equal(truncate("in/a", (off_t)1 << 43), 0);
    assert_false(take("in/a", "5"));
    assert_int_equal(err.kind, ERROR_LIMIT);
}

static void copies_of_all_inputs_together_have_so_many_files(void **state)
{
    (void)state;
    policy.snapshots.files = store.left.files = 5;
    put("in/a", "", 0644);
    assert_int_equal(symlink("a", "in/b"), 0);
    assert_true(take("in", "0"));
    assert_int_equal(store.left.files, 2);
    assert_false(take("in", "1"));
    assert_string_equal(err.text, "b: one more than snapshots.files, 5");
    for (char name[] = "in/c"; name[3] <= 'g'; name[3]++) {
        put(name, "", 0644);
    }
    store.left = policy.snapshots;
    assert_false(take("in", "2")); /* more names than that are not even kept */
    assert_string_equal(err.text, ".: more than snapshots.files, 5");
    assert_false(is_there("out/2/a"));
}

static void folders_are_so_deep(void **state)
{
    (void)state;
    assert_int_equal(chdir("in"), 0);
    for (int i = 0; i < JAIL_NAMES_DEPTH_MAX - 1; i++) {
        assert_int_equal(mkdir("d", 0755) + chdir("d"), 0);
    }
    assert_int_equal(chdir(top), 0);
    assert_true(take("in", "0"));
    assert_int_equal(taken.files, JAIL_NAMES_DEPTH_MAX);
    assert_int_equal(mkdir("deeper", 0755) + rename("in", "deeper/in"), 0);
    store.left = policy.snapshots;
    assert_false(take("deeper", "1"));
    assert_non_null(strstr(err.text, "/d: more than 64 folders deep"));
}

/* Rewrites `a`, which was copied, when `b`, which comes after it, is opened. */
static void *rewrite_on_open(void *watch)
{
    struct inotify_event event;

    if (read(*(int *)watch, &event, sizeof(event)) == (ssize_t)sizeof(event)) {
        put("in/a", "new", 0644);
    }
    return NULL;
}

/* Somebody may be too late for one copy, which then has the old file; not for all. */
static void a_change_meanwhile_is_an_error_never_a_mixture(void **state)
{
    pthread_t thread;
    unsigned refused = 0;

    (void)state;
    policy.snapshots = store.left = (struct jail_copy_limits){.bytes = INT64_C(4) << 30, .files = 1000000};
    put("in/b", "", 0644);
    assert_int_equal(truncate("in/b", 4 << 20), 0);
    for (int i = 0; i < 100 && refused == 0; i++) {
        char name[16], path[32];
        int watch = inotify_init1(IN_CLOEXEC);
        put("in/a", "old", 0644);
        assert_true(inotify_add_watch(watch, "in/b", IN_OPEN) >= 0);
        assert_int_equal(pthread_create(&thread, NULL, rewrite_on_open, &watch), 0);
        (void)snprintf(name, sizeof(name), "%d", i);
        (void)snprintf(path, sizeof(path), "out/%d/a", i);
        if (take("in", name)) {
            assert_holds(path, "old");
        } else {
            assert_non_null(strstr(err.text, "changed while it was copied"));
            refused++;
        }
        assert_int_equal(pthread_join(thread, NULL), 0);
        (void)close(watch);
    }
    assert_int_equal(refused, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_copy_has_what_was_there_and_its_digest_is_that_of_a_listing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_is_copied_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_change_of_any_entry_is_another_digest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(denied_names_are_not_copied_nor_opened, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_neither_file_nor_folder_nor_link_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_may_not_be_read_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_of_all_inputs_together_have_so_many_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_of_all_inputs_together_have_so_many_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_are_so_deep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_change_meanwhile_is_an_error_never_a_mixture, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
