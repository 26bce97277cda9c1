#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
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

static void on_alarm(int signal)
{
    (void)signal;
}

/* Whether `len` bytes came, read slowly so that the pipe is full most of the time. */
static int read_slowly(int from, size_t len)
{
    char piece[4096];
    size_t n = 0;

    for (ssize_t k = 1; k > 0; n += k > 0 ? (size_t)k : 0) {
        k = read(from, piece, sizeof(piece));
        (void)usleep(100);
    }
    return n == len ? 0 : 1;
}

static void signals_do_not_cut_what_is_written(void **state)
{
    enum { LENGTH = 1 << 21 };
    const struct sigaction action = {.sa_handler = on_alarm}, ignored = {.sa_handler = SIG_DFL};
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    char *text = calloc(1, LENGTH);
    int ends[2], status = -1;

    (void)state;
    assert_non_null(text);
    assert_int_equal(pipe(ends), 0);
    pid_t reader = fork();
    if (reader == 0) {
        (void)close(ends[1]);
        _exit(read_slowly(ends[0], LENGTH));
    }
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    bool is_written = file_write_all(ends[1], span_of(text, LENGTH));
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &ignored, NULL), 0);
    assert_true(is_written);
    assert_int_equal(close(ends[0]) + close(ends[1]), 0);
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    free(text);
}

static void a_write_without_room_fails_with_errno(void **state)
{
    char text[1 << 18] = {0};
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    errno = 0;
    assert_false(file_write_all(ends[1], span_of(text, sizeof(text))));
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(close(ends[0]) + close(ends[1]), 0);
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
        cmocka_unit_test(signals_do_not_cut_what_is_written),
        cmocka_unit_test(a_write_without_room_fails_with_errno),
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
