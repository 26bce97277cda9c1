#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jail/policy/policy.h"

static struct error err;
static char folder[] = "/tmp/filterd-jail-policy-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    int fd = open("p.yaml", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool is_made = fd >= 0 && write(fd, "name: a\n", 8) == 8;
    return is_made && close(fd) == 0 && symlink("p.yaml", "link.yaml") == 0 && mkdir("sub", 0700) == 0 &&
                   symlink(".", "folder") == 0
               ? 0
               : 1;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink("p.yaml");
    (void)unlink("link.yaml");
    (void)unlink("folder");
    (void)rmdir("sub");
    return chdir("/") == 0 ? rmdir(folder) : 1;
}

static bool loads(const char *path)
{
    struct jail_policy *p = jail_policy_load(path, &err);
    bool is_loaded = p != NULL;

    jail_policy_free(p);
    return is_loaded;
}

static void a_file_of_the_callers_own_is_read(void **state)
{
    (void)state;
    assert_true(loads("p.yaml"));
    assert_true(loads("./sub/../p.yaml"));
}

static void a_missing_file_is_no_policy(void **state)
{
    (void)state;
    assert_false(loads("none.yaml"));
    assert_non_null(strstr(err.text, "No such file"));
}

static void links_are_refused_anywhere_in_the_path(void **state)
{
    (void)state;
    assert_false(loads("link.yaml"));
    assert_non_null(strstr(err.text, "without symbolic links"));
    assert_false(loads("folder/p.yaml"));
    assert_non_null(strstr(err.text, "without symbolic links"));
}

static void a_file_that_others_can_write_is_refused(void **state)
{
    static const mode_t modes[] = {0666, 0620, 0602};

    (void)state;
    for (size_t i = 0; i < COUNT(modes); i++) {
        assert_int_equal(chmod("p.yaml", modes[i]), 0);
        assert_false(loads("p.yaml"));
        assert_non_null(strstr(err.text, "only its owner can write"));
    }
    assert_int_equal(chmod("p.yaml", 0600), 0);
}

static void a_folder_that_others_can_write_is_refused(void **state)
{
    (void)state;
    assert_int_equal(chmod(folder, 0777), 0);
    assert_false(loads("p.yaml"));
    assert_non_null(strstr(err.text, "others cannot write"));
    assert_int_equal(chmod(folder, 0700), 0);
}

static void a_file_of_another_owner_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(chown("p.yaml", 65534, 65534), 0);
    assert_false(loads("p.yaml"));
    assert_non_null(strstr(err.text, "owned by root or by the caller"));
    assert_int_equal(chown("p.yaml", 0, 0), 0);
}

static void what_is_no_regular_file_is_refused(void **state)
{
    (void)state;
    assert_false(loads("sub"));
    assert_non_null(strstr(err.text, "a regular file expected"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_the_callers_own_is_read),
        cmocka_unit_test(a_missing_file_is_no_policy),
        cmocka_unit_test(links_are_refused_anywhere_in_the_path),
        cmocka_unit_test(a_file_that_others_can_write_is_refused),
        cmocka_unit_test(a_folder_that_others_can_write_is_refused),
        cmocka_unit_test(a_file_of_another_owner_is_refused),
        cmocka_unit_test(what_is_no_regular_file_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
