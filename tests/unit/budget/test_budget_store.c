#include "testing.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/harm_file.h"
#include "base/clock.h"
#include "budget/budget_store.h"
#include "unit/shifted_clock.h"

enum { MIB = 1024 * 1024 };

static const uint8_t secret[BUDGET_SECRET] = "a key that only tests have";
static const struct budget_terms terms = {.values = 3, .window_s = 3600}, many = {.values = 5000, .window_s = 3600};
static char path[64];
static uint32_t now;

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof(path), "/tmp/filterd-budgets-%d.db", (int)getpid());
    now = (uint32_t)(clock_utc_ns() / 1000000000);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char file[80];

    (void)state;
    for (size_t i = 0; i < COUNT(endings); i++) {
        (void)snprintf(file, sizeof(file), "%s%s", path, endings[i]);
        (void)unlink(file);
    }
    return 0;
}

struct both {
    struct budgets *b;
    struct budget_store *s;
};

static struct both open_both(void)
{
    struct error err;
    struct both both = {.b = budgets_new(8 * MIB, secret, &err)};

    assert_non_null(both.b);
    both.s = budget_store_open(path, both.b, &err);
    if (both.s == NULL) {
        fail_msg("%s", err.text);
    }
    assert_true(budget_store_start(both.s, &err));
    return both;
}

static void close_both(struct both *both)
{
    budget_store_close(both->s);
    budgets_free(both->b);
}

static enum budget_verdict disclose(struct budgets *b, const char *subject, unsigned value, const struct budget_terms *t,
                                    uint32_t at)
{
    const struct span part = span_str(subject);
    struct budget_account_key key;
    struct budget_hold hold;

    budgets_key(b, &part, 1, &key);
    enum budget_verdict verdict = budgets_reserve(b, &key, t, value, at, &hold);
    budgets_commit(b, &key, value, at, &hold);
    return verdict;
}

static struct budget_level level_of(struct budgets *b, const char *subject)
{
    const struct span part = span_str(subject);
    struct budget_account_key key;
    struct budget_level level;

    budgets_key(b, &part, 1, &key);
    budgets_look(b, &key, &terms, now, &level);
    return level;
}

static void what_was_disclosed_is_counted_after_a_restart(void **state)
{
    struct both both = open_both();

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(disclose(both.b, "one", i, &terms, now), BUDGET_WITHIN);
    }
    assert_int_equal(disclose(both.b, "one", 3, &terms, now), BUDGET_OVER);
    close_both(&both);
    both = open_both();
    assert_int_equal(disclose(both.b, "one", 3, &terms, now), BUDGET_OVER);
    assert_int_equal(disclose(both.b, "one", 2, &terms, now), BUDGET_WITHIN);
    close_both(&both);
}

static void an_estimate_is_the_same_after_a_restart(void **state)
{
    struct both both = open_both();

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        (void)disclose(both.b, "one", i * 2654435761U, &many, now);
    }
    struct budget_level before = level_of(both.b, "one");
    assert_true(before.is_estimated);
    close_both(&both);
    both = open_both();
    struct budget_level after = level_of(both.b, "one");
    assert_true(after.is_estimated);
    assert_int_equal(after.values, before.values);
    close_both(&both);
}

static void what_left_the_window_is_gone_from_the_file(void **state)
{
    struct both both = open_both();
    struct budget_counts counts;

    (void)state;
    (void)disclose(both.b, "one", 1, &terms, now - 3601);
    (void)disclose(both.b, "two", 1, &terms, now);
    close_both(&both);
    both = open_both();
    close_both(&both);
    both = open_both();
    budgets_count(both.b, &counts);
    assert_int_equal(counts.accounts, 1);
    close_both(&both);
}

/* A clock that was ahead when they were disclosed does not keep them for longer than a window. */
static void what_is_of_the_future_is_of_now(void **state)
{
    struct both both = open_both();
    struct budget_level level;

    (void)state;
    (void)disclose(both.b, "one", 1, &terms, now + 1000000);
    close_both(&both);
    both = open_both();
    assert_int_equal(level_of(both.b, "one").values, 1);
    now += 3700;
    level = level_of(both.b, "one");
    assert_int_equal(level.values, 0);
    close_both(&both);
}

static void a_clock_that_is_set_ahead_empties_nothing(void **state)
{
    struct both both = open_both();

    (void)state;
    (void)disclose(both.b, "one", 1, &terms, now);
    close_both(&both);
    utc_shift_s = 86400;
    both = open_both();
    utc_shift_s = 0;
    assert_int_equal(level_of(both.b, "one").values, 1);
    close_both(&both);
}

/* The writer has some time; then the process is gone without closing anything. */
static void a_crash_loses_at_most_the_last_moment(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct both both = open_both();
        (void)disclose(both.b, "one", 1, &terms, now);
        (void)disclose(both.b, "one", 2, &terms, now);
        (void)usleep(500000);
        (void)raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    struct both both = open_both();
    assert_int_equal(level_of(both.b, "one").values, 2);
    close_both(&both);
}

static void run_into_harm(enum harm how)
{
    struct both both = open_both();

    (void)disclose(both.b, "one", 1, &terms, now);
    (void)usleep(300000);
    harm_file(path, how);
    (void)usleep(1700000);
    (void)raise(SIGKILL);
}

static void a_file_that_others_harm_is_written_anew(void **state)
{
    int status;

    for (enum harm how = 0; how < HARMS; how++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            run_into_harm(how);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        struct both both = open_both();
        assert_int_equal(level_of(both.b, "one").values, 1);
        close_both(&both);
        (void)tear_down(state);
    }
}

static void another_file_is_refused(void **state)
{
    struct error err;
    struct budgets *b = budgets_new(8 * MIB, secret, &err);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);

    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(write(fd, "This is no database.", 20), 20);
    }
    (void)close(fd);
    assert_null(budget_store_open(path, b, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    budgets_free(b);
}

static void change_file(const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

/* A file with a row that is no image, whatever was read before it, is refused with that reason each time, and opened once it is
 * mended. */
static void a_damaged_file_is_refused_until_it_is_mended(void **state)
{
    struct both both = open_both();
    char first[sizeof(((struct error *)0)->text)];
    struct error err;

    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        char subject[16];
        (void)snprintf(subject, sizeof(subject), "user %u", i);
        (void)disclose(both.b, subject, i, &terms, now);
    }
    close_both(&both);
    change_file("INSERT INTO accounts VALUES(x'ffffffffffffffffffffffffffffffff', 60, x'09')");
    both.b = budgets_new(8 * MIB, secret, &err);
    assert_null(budget_store_open(path, both.b, &err));
    (void)snprintf(first, sizeof(first), "%s", err.text);
    assert_null(budget_store_open(path, both.b, &err));
    assert_string_equal(err.text, first);
    assert_int_equal(level_of(both.b, "user 7").values, 0);
    change_file("DELETE FROM accounts WHERE length(image) = 1");
    both.s = budget_store_open(path, both.b, &err);
    assert_non_null(both.s);
    for (unsigned i = 0; i < 40; i++) {
        char subject[16];
        (void)snprintf(subject, sizeof(subject), "user %u", i);
        assert_int_equal(level_of(both.b, subject).values, 1);
    }
    close_both(&both);
}

static void an_invalid_image_is_refused(void **state)
{
    static struct budget_image image;
    struct error err;

    (void)state;
    for (unsigned kind = 0; kind < 5; kind++) {
        struct budgets *b = budgets_new(8 * MIB, secret, &err);
        image = (struct budget_image){.window_s = 60, .len = kind == 4 ? 0 : 6, .bytes = {(uint8_t)kind}};
        assert_false(budgets_restore(b, &image, now, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        budgets_free(b);
    }
}

static void only_the_owner_may_read_the_file(void **state)
{
    struct both both = open_both();
    struct stat st;

    (void)state;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    close_both(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_disclosed_is_counted_after_a_restart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_estimate_is_the_same_after_a_restart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_left_the_window_is_gone_from_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_of_the_future_is_of_now, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_clock_that_is_set_ahead_empties_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_crash_loses_at_most_the_last_moment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_refused_until_it_is_mended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_others_harm_is_written_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_file_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_invalid_image_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_the_owner_may_read_the_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
