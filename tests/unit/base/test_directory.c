#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/span.h"

/* The uid of nobody: what an ordinary user's process does. */
enum { NOBODY = 65534 };

static const char *const variables[] = {"STATE_DIRECTORY", "CACHE_DIRECTORY", "RUNTIME_DIRECTORY", "LOGS_DIRECTORY",
                                        "XDG_STATE_HOME",  "XDG_CACHE_HOME",  "XDG_RUNTIME_DIR",   "HOME"};

static int clear_environment(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(variables); i++) {
        (void)unsetenv(variables[i]);
    }
    return geteuid() == 0 ? seteuid(NOBODY) : 0;
}

static int become_root_again(void **state)
{
    (void)state;
    return getuid() == 0 ? seteuid(0) : 0;
}

static bool has(enum directory which, const char *path)
{
    struct directory_candidates c;

    directory_candidates(which, &c);
    for (unsigned i = 0; i < c.n; i++) {
        if (strcmp(c.paths[i], path) == 0) {
            return true;
        }
    }
    return false;
}

static void the_desktop_says_where_a_user_keeps_things(void **state)
{
    char path[PATH_MAX];

    (void)state;
    (void)setenv("HOME", "/home/u", 1);
    assert_true(directory_find(DIRECTORY_CACHE, path));
    assert_string_equal(path, "/home/u/.cache/filterd");
    (void)setenv("XDG_CACHE_HOME", "/fast", 1);
    assert_true(directory_find(DIRECTORY_CACHE, path));
    assert_string_equal(path, "/fast/filterd");
    (void)setenv("XDG_CACHE_HOME", "not/absolute", 1);
    assert_true(directory_find(DIRECTORY_CACHE, path));
    assert_string_equal(path, "/home/u/.cache/filterd");
    (void)setenv("CACHE_DIRECTORY", "/var/cache/other", 1);
    assert_true(directory_find(DIRECTORY_CACHE, path));
    assert_string_equal(path, "/var/cache/other");
    (void)setenv("CACHE_DIRECTORY", "/var/cache/one:/var/cache/two", 1); /* as systemd gives several */
    assert_true(directory_find(DIRECTORY_CACHE, path));
    assert_string_equal(path, "/var/cache/one");
}

static void there_may_be_no_place(void **state)
{
    char path[PATH_MAX];

    (void)state;
    for (int which = 0; which < DIRECTORY_COUNT; which++) {
        assert_false(directory_find((enum directory)which, path));
    }
    (void)setenv("HOME", "/home/u", 1);
    assert_false(directory_find(DIRECTORY_RUNTIME, path));
}

/* However the service was started, whoever looks for it in another environment has its place among the candidates. */
static void what_one_environment_made_another_finds(void **state)
{
    static const struct {
        const char *variable, *value;
    } environments[] = {{"HOME", "/home/u"}, {"XDG_RUNTIME_DIR", NULL}, {"XDG_STATE_HOME", "/home/u/.local/state"}};
    char own[64];

    (void)state;
    (void)snprintf(own, sizeof(own), "/run/user/%u", (unsigned)geteuid());
    for (unsigned service = 1; service < 1U << COUNT(environments); service += 2) {
        char made[PATH_MAX];
        (void)clear_environment(NULL);
        for (size_t i = 0; i < COUNT(environments); i++) {
            if ((service & 1U << i) != 0) {
                (void)setenv(environments[i].variable, environments[i].value == NULL ? own : environments[i].value, 1);
            }
        }
        /* As places.c does. */
        assert_true(directory_find(DIRECTORY_RUNTIME, made) || directory_find(DIRECTORY_STATE, made));
        for (unsigned client = 1; client < 1U << COUNT(environments); client += 2) {
            (void)clear_environment(NULL);
            for (size_t i = 0; i < COUNT(environments); i++) {
                if ((client & 1U << i) != 0) {
                    (void)setenv(environments[i].variable, environments[i].value == NULL ? own : environments[i].value, 1);
                }
            }
            assert_true(has(DIRECTORY_RUNTIME, made));
        }
    }
}

static void a_user_finds_what_the_system_started(void **state)
{
    (void)state;
    assert_true(has(DIRECTORY_RUNTIME, "/run/filterd"));
    assert_true(has(DIRECTORY_LOGS, "/var/log/filterd"));
    assert_true(has(DIRECTORY_LOGS, "/var/lib/filterd"));
}

static void root_looks_in_no_users_places(void **state)
{
    struct directory_candidates c;

    (void)state;
    if (getuid() != 0) {
        skip();
    }
    assert_int_equal(seteuid(0), 0);
    (void)setenv("HOME", "/home/u", 1);
    (void)setenv("XDG_RUNTIME_DIR", "/run/user/1000", 1);
    (void)setenv("XDG_STATE_HOME", "/home/u/state", 1);
    directory_candidates(DIRECTORY_RUNTIME, &c);
    assert_int_equal(c.n, 1);
    assert_string_equal(c.paths[0], "/run/filterd");
    assert_false(has(DIRECTORY_LOGS, "/home/u/state/filterd"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_desktop_says_where_a_user_keeps_things, clear_environment, become_root_again),
        cmocka_unit_test_setup_teardown(there_may_be_no_place, clear_environment, become_root_again),
        cmocka_unit_test_setup_teardown(what_one_environment_made_another_finds, clear_environment, become_root_again),
        cmocka_unit_test_setup_teardown(a_user_finds_what_the_system_started, clear_environment, become_root_again),
        cmocka_unit_test_setup_teardown(root_looks_in_no_users_places, clear_environment, become_root_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
