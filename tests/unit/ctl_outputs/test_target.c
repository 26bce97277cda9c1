#include "testing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "ctl/outputs/quarantine.h"
#include "ctl/outputs/target.h"

static struct error err;
static char folder[] = "/tmp/filterd-target-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    /* Tests leave nothing behind but what they remove; the last of it: */
    return unlink("t/a/b/file") + rmdir("t/a/b") + rmdir("t/a") + unlink("t/link") + rmdir("t") + unlink("outside/x") +
           rmdir("outside") + chdir("/") + rmdir(folder);
}

static void a_file_appears_whole_with_the_folders_above_it(void **state)
{
    struct stat info;
    enum target_state at;

    (void)state;
    assert_int_equal(mkdir("t", 0755), 0);
    int t = target_open("t", &err);
    assert_true(t >= 0);
    assert_true(target_compare(t, "a/b/file", span_str("one"), &at, &err));
    assert_int_equal(at, TARGET_NEW);
    assert_true(target_write(t, "a/b/file", span_str("one"), false, &err));
    assert_int_equal(stat("t/a/b/file", &info), 0);
    assert_int_equal(info.st_mode & 0111, 0);
    assert_true(target_compare(t, "a/b/file", span_str("one"), &at, &err));
    assert_int_equal(at, TARGET_SAME);
    assert_true(target_compare(t, "a/b/file", span_str("two"), &at, &err));
    assert_int_equal(at, TARGET_OTHER);
    assert_int_equal(close(t), 0);
}

static void what_stands_there_stays_unless_it_is_to_be_replaced(void **state)
{
    enum target_state at;
    int t = target_open("t", &err);

    (void)state;
    assert_false(target_write(t, "a/b/file", span_str("two"), false, &err));
    assert_true(target_compare(t, "a/b/file", span_str("one"), &at, &err));
    assert_int_equal(at, TARGET_SAME);
    assert_true(target_write(t, "a/b/file", span_str("two"), true, &err));
    assert_true(target_compare(t, "a/b/file", span_str("two"), &at, &err));
    assert_int_equal(at, TARGET_SAME);
    assert_int_equal(close(t), 0);
}

static void a_link_at_the_target_leads_nowhere(void **state)
{
    enum target_state at;
    int t = target_open("t", &err);

    (void)state;
    assert_int_equal(mkdir("outside", 0755), 0);
    assert_int_equal(symlink("../outside", "t/link"), 0);
    int x = open("outside/x", O_WRONLY | O_CREAT, 0600);
    assert_true(x >= 0 && close(x) == 0);
    assert_false(target_compare(t, "link/x", span_str(""), &at, &err));
    assert_false(target_write(t, "link/x", span_str("evil"), true, &err));
    assert_false(target_write(t, "../outside/x", span_str("evil"), true, &err));
    assert_false(target_write(t, "a/../../outside/x", span_str("evil"), true, &err));
    assert_int_equal(close(t), 0);
    struct stat info;
    assert_int_equal(stat("outside/x", &info), 0);
    assert_int_equal(info.st_size, 0);
}

static void names_that_tools_obey_are_known_at_any_depth_and_in_any_case(void **state)
{
    (void)state;
    assert_true(target_is_obeyed(".git/hooks/pre-commit"));
    assert_true(target_is_obeyed("a/b/.GIT/config"));
    assert_true(target_is_obeyed("docs/agents.md"));
    assert_true(target_is_obeyed(".mcp.json"));
    assert_false(target_is_obeyed("git/config"));
    assert_false(target_is_obeyed(".gitx"));
    assert_false(target_is_obeyed("src/main.c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_whole_with_the_folders_above_it),
        cmocka_unit_test(what_stands_there_stays_unless_it_is_to_be_replaced),
        cmocka_unit_test(a_link_at_the_target_leads_nowhere),
        cmocka_unit_test(names_that_tools_obey_are_known_at_any_depth_and_in_any_case),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
