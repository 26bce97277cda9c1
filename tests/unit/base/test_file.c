#include "testing.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char folder[] = "/tmp/file-test-XXXXXX";

static void path_in_folder(const char *name, char path[256])
{
    (void)snprintf(path, 256, "%s/%s", folder, name);
}

static void what_is_written_is_read_back(void **state)
{
    char path[256], text[100000];
    struct buf out;
    struct error err;
    struct stat info;
    (void)state;
    memset(text, 'x', sizeof(text));
    path_in_folder("a", path);
    for (size_t len = 0; len <= sizeof(text); len += 12500) {
        buf_init(&out, sizeof(text));
        assert_true(file_write_atomic(path, span_of(text, len), 0640, &err));
        assert_true(file_read(path, &out, &err));
        assert_true(span_equal(buf_span(&out), span_of(text, len)));
        buf_deinit(&out);
    }
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(unlink(path), 0);
}

static void a_file_past_the_ceiling_is_refused_by_name(void **state)
{
    char path[256];
    struct buf out;
    struct error err;
    (void)state;
    path_in_folder("a", path);
    assert_true(file_write_atomic(path, span_str("12345"), 0600, &err));
    buf_init(&out, 5);
    assert_true(file_read(path, &out, &err));
    buf_deinit(&out);
    buf_init(&out, 4);
    assert_false(file_read(path, &out, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_non_null(strstr(err.text, path));
    buf_deinit(&out);
    assert_int_equal(unlink(path), 0);
}

static void a_missing_file_is_not_found(void **state)
{
    struct buf out;
    struct error err;
    (void)state;
    buf_init(&out, 100);
    assert_false(file_read("/nonexistent/file", &out, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_false(file_read(folder, &out, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    buf_deinit(&out);
}

static void a_failed_write_leaves_nothing_behind(void **state)
{
    char path[256];
    struct error err;
    (void)state;
    assert_false(file_write_atomic("/nonexistent/file", span_str("x"), 0600, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    path_in_folder("taken", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(file_write_atomic(path, span_str("x"), 0600, &err));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0); /* so it is empty */
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_directory_is_made_with_those_above_it(void **state)
{
    char path[256];
    struct stat info;
    struct error err;
    (void)state;
    path_in_folder("one/two", path);
    assert_true(file_make_directory(path, &err));
    assert_true(file_make_directory(path, &err));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(rmdir(path), 0);
    path_in_folder("one", path);
    assert_int_equal(rmdir(path), 0);
    assert_false(file_make_directory("", &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_false(file_make_directory("/proc/filterd/x", &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_file_past_the_ceiling_is_refused_by_name),
        cmocka_unit_test(a_missing_file_is_not_found),
        cmocka_unit_test(a_failed_write_leaves_nothing_behind),
        cmocka_unit_test(a_directory_is_made_with_those_above_it),
    };
    if (mkdtemp(folder) == NULL) {
        return 2;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
