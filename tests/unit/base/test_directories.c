#include "testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/directories.h"

static struct arena arena;
static struct directories found;

static const char *const variables[] = {"STATE_DIRECTORY", "CACHE_DIRECTORY", "RUNTIME_DIRECTORY", "LOGS_DIRECTORY",
                                        "XDG_STATE_HOME",  "XDG_CACHE_HOME",  "XDG_RUNTIME_DIR",   "HOME"};

/* Finds with nothing but these in the environment: name, value, …, NULL. */
static void find_with(const char *const *environment)
{
    arena_deinit(&arena);
    arena_init(&arena, 0, 1 << 16);
    for (size_t i = 0; i < COUNT(variables); i++) {
        assert_int_equal(unsetenv(variables[i]), 0);
    }
    for (size_t i = 0; environment[i] != NULL; i += 2) {
        assert_int_equal(setenv(environment[i], environment[i + 1], 1), 0);
    }
    directories_find(&arena, &found);
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static void systemds_directories_come_first(void **state)
{
    (void)state;
    found = (struct directories){0};
    find_with((const char *const[]){"STATE_DIRECTORY", "/a", "CACHE_DIRECTORY", "/b", "RUNTIME_DIRECTORY", "/c",
                                    "LOGS_DIRECTORY", "/d", "XDG_STATE_HOME", "/e", "HOME", "/f", NULL});
    assert_string_equal(found.state, "/a");
    assert_string_equal(found.cache, "/b");
    assert_string_equal(directories_operators(&arena, &found), "unix:/c/operators.sock");
    assert_string_equal(directories_log(&arena, &found), "/d/decisions.jsonl");
}

static void a_user_without_a_runtime_directory_has_the_state_directory(void **state)
{
    (void)state;
    found = (struct directories){0};
    find_with((const char *const[]){"HOME", "/home/u", "XDG_CACHE_HOME", "relative", NULL});
    bool is_root = geteuid() == 0;
    assert_string_equal(directories_operators(&arena, &found),
                        is_root ? "unix:/run/filterd/operators.sock"
                                : "unix:/home/u/.local/state/filterd/operators.sock");
    assert_string_equal(found.cache, is_root ? "/var/cache/filterd" : "/home/u/.cache/filterd");
    assert_string_equal(directories_log(&arena, &found), is_root ? "/var/lib/filterd/decisions.jsonl"
                                                                 : "/home/u/.local/state/filterd/decisions.jsonl");
}

static void what_is_given_is_kept_and_followed(void **state)
{
    (void)state;
    found = (struct directories){.state = "/mine", .runtime = "/here"};
    find_with((const char *const[]){"HOME", "/home/u", "STATE_DIRECTORY", "/a", NULL});
    assert_string_equal(found.state, "/mine");
    assert_string_equal(directories_operators(&arena, &found), "unix:/here/operators.sock");
    assert_string_equal(directories_log(&arena, &found), "/mine/decisions.jsonl");
}

static void without_any_place_there_is_none(void **state)
{
    (void)state;
    found = (struct directories){0};
    find_with((const char *const[]){NULL});
    assert_int_equal(directories_log(&arena, &found) != NULL, geteuid() == 0);
    assert_int_equal(directories_operators(&arena, &found) != NULL, geteuid() == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systemds_directories_come_first),
        cmocka_unit_test(a_user_without_a_runtime_directory_has_the_state_directory),
        cmocka_unit_test(what_is_given_is_kept_and_followed),
        cmocka_unit_test(without_any_place_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
