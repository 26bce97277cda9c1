#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/span.h"
#include "database/database.h"

static char folder[256], path[300];
static const struct database_form strict = {.name = "things",
                                            .settings = "PRAGMA page_size=512; PRAGMA journal_mode=WAL",
                                            .schema = "CREATE TABLE IF NOT EXISTS thing(n INTEGER)",
                                            .version = 3};
static struct database_form lenient;

static int set_up(void **state)
{
    (void)state;
    testing_folder(folder, sizeof(folder));
    lenient = strict;
    lenient.is_lenient = true;
    (void)snprintf(path, sizeof(path), "%s/a.db", folder);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal", ".other"};
    char file[320];

    (void)state;
    for (size_t i = 0; i < COUNT(endings); i++) {
        (void)snprintf(file, sizeof(file), "%s%s", path, endings[i]);
        (void)unlink(file);
    }
    return rmdir(folder);
}

static void open_and_run(const char *sql)
{
    struct database d;
    struct error err;

    if (!database_open(&d, path, &strict, &err) || !database_execute(&d, sql, &err)) {
        fail_msg("%s", err.text);
    }
    database_close(&d);
}

static int64_t number_of(const char *sql)
{
    struct database d;
    struct error err;

    assert_true(database_open(&d, path, &strict, &err));
    sqlite3_stmt *row = database_prepare(&d, sql, &err);
    assert_non_null(row);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(row, 0);
    (void)sqlite3_finalize(row);
    database_close(&d);
    return number;
}

static void refuse(const struct database_form *form, enum error_kind kind, const char *text)
{
    struct database d;
    struct error err;

    assert_false(database_open(&d, path, form, &err));
    assert_null(d.db);
    assert_int_equal(err.kind, kind);
    if (strstr(err.text, text) == NULL) {
        fail_msg("%s: \"%s\" expected", err.text, text);
    }
    database_close(&d);
}

static void a_new_file_is_private_and_is_opened_again(void **state)
{
    mode_t mask = umask(0);
    struct stat s;

    (void)state;
    open_and_run("INSERT INTO thing VALUES(7)");
    (void)umask(mask);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(number_of("SELECT n FROM thing"), 7);
    assert_int_equal(number_of("PRAGMA user_version"), 3);
    assert_int_equal(number_of("PRAGMA page_size"), 512);
}

/* The child says by its status what it saw. */
static void a_file_of_another_process_is_denied(void **state)
{
    struct database d;
    struct error err;
    int status;

    (void)state;
    assert_true(database_open(&d, path, &strict, &err));
    pid_t child = fork();
    if (child == 0) {
        struct database other;
        bool is_open = database_open(&other, path, &strict, &err);
        _exit(is_open ? 100 : (int)err.kind);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ERROR_DENIED);
    assert_true(database_execute(&d, "INSERT INTO thing VALUES(1)", &err));
    database_close(&d);
}

static void a_file_that_others_can_read_needs_leniency(void **state)
{
    static const mode_t modes[] = {0640, 0620, 0604, 0602};
    struct database d;
    struct error err;

    (void)state;
    open_and_run("");
    for (size_t i = 0; i < COUNT(modes); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        refuse(&strict, ERROR_DENIED, "mode 0600 expected");
        assert_true(database_open(&d, path, &lenient, &err));
        database_close(&d);
    }
}

static void a_symbolic_link_is_refused(void **state)
{
    char other[320];
    struct stat s;

    (void)state;
    (void)snprintf(other, sizeof(other), "%s.other", path);
    assert_int_equal(symlink(other, path), 0);
    refuse(&strict, ERROR_SYSTEM, path);
    refuse(&lenient, ERROR_SYSTEM, path);
    assert_int_equal(stat(other, &s), -1);
}

static void a_missing_folder_is_named(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/none/a.db", folder);
    refuse(&strict, ERROR_SYSTEM, path);
    refuse(&lenient, ERROR_SYSTEM, path);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    for (int i = 0; i < 100; i++) {
        assert_true(fputs(text, file) >= 0);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static void another_kind_of_file_is_invalid(void **state)
{
    (void)state;
    write_file("This is no database.");
    refuse(&strict, ERROR_INVALID, "things: ");
    write_file("This is no database.");
    refuse(&lenient, ERROR_INVALID, "things: ");
}

static void a_damaged_file_is_invalid(void **state)
{
    static const char zeros[512];

    (void)state;
    open_and_run("");
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 100, SEEK_SET), 0);
    assert_int_equal(fwrite(zeros, 1, 400, file), 400);
    assert_int_equal(fclose(file), 0);
    refuse(&strict, ERROR_INVALID, "things: the store: ");
}

static size_t read_file(char *to, size_t max)
{
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    size_t len = fread(to, 1, max, file);
    assert_int_equal(fclose(file), 0);
    return len;
}

/* Nothing of it is changed, its journal mode neither. */
static void a_file_of_another_version_is_left_as_it_was(void **state)
{
    static const char *const versions[] = {"2", "4", "-1"};
    static char before[16384], after[16384];

    (void)state;
    for (size_t i = 0; i < COUNT(versions); i++) {
        char sql[128], text[80];
        (void)snprintf(sql, sizeof(sql), "PRAGMA user_version=%s; PRAGMA journal_mode=DELETE", versions[i]);
        open_and_run(sql);
        size_t len = read_file(before, sizeof(before));
        (void)snprintf(text, sizeof(text), "things: a store of version 3 expected, not %s", versions[i]);
        refuse(&strict, ERROR_INVALID, text);
        assert_int_equal(read_file(after, sizeof(after)), len);
        assert_memory_equal(after, before, len);
        assert_int_equal(unlink(path), 0);
    }
}

/* The schema of an opening that a crash ended has no version yet. */
static void a_file_without_a_version_is_completed(void **state)
{
    (void)state;
    open_and_run("INSERT INTO thing VALUES(5); PRAGMA user_version=0");
    assert_int_equal(number_of("SELECT n FROM thing"), 5);
    assert_int_equal(number_of("PRAGMA user_version"), 3);
}

static void a_statement_that_fails_names_the_module(void **state)
{
    struct database d;
    struct error err;

    (void)state;
    assert_true(database_open(&d, path, &strict, &err));
    assert_false(database_execute(&d, "INSERT INTO absent VALUES(1)", &err));
    assert_string_equal(err.text, "things: the store: no such table: absent");
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_null(database_prepare(&d, "SELECT x FROM thing", &err));
    assert_string_equal(err.text, "things: the store: no such column: x");
    database_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_new_file_is_private_and_is_opened_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_another_process_is_denied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_others_can_read_needs_leniency, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_symbolic_link_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_folder_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_kind_of_file_is_invalid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_invalid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_another_version_is_left_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_without_a_version_is_completed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_statement_that_fails_names_the_module, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
