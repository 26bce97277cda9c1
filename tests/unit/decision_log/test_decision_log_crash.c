/* What is in the log after a crash, a full disk, a kill. */
#include "unit/decision_log/decision_log_testing.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void a_torn_last_line_is_cut_off_and_told(void **state)
{
    (void)state;
    write_file(path,
               "{\"seq\":41,\"node\":\"n\",\"boot_id\":\"b\",\"type\":\"test\"}\n{\"seq\":42,\"no");
    struct decision_log *log = open_log();
    assert_true(append_wait(log, 0, 0));
    decision_log_close(log);
    json_t *records = read_records(path, 41);
    assert_int_equal(json_array_size(records), 3);
    assert_string_equal(type_of(records, 1), "recovery");
    assert_int_equal(number_of(records, 1, "bytes_dropped"), 13);
    json_decref(records);
}

static void a_torn_first_line_is_cut_off(void **state)
{
    (void)state;
    write_file(path, "{\"se");
    struct decision_log *log = open_log();
    decision_log_close(log);
    json_t *records = read_records(path, 1);
    assert_string_equal(type_of(records, 0), "recovery");
    json_decref(records);
}

static void a_long_torn_tail_is_cut_off(void **state)
{
    struct error err;
    struct buf text;
    (void)state;
    buf_init(&text, FILE_MAX);
    assert_true(
        buf_append_str(&text, "{\"seq\":7,\"node\":\"\",\"boot_id\":\"\",\"v\":1}\n", &err));
    assert_true(buf_reserve(&text, 300000, &err));
    memset(text.data + text.len, 0, 300000);
    text.len += 300000;
    assert_true(file_write_atomic(path, buf_span(&text), 0600, &err));
    decision_log_close(open_log());
    json_t *records = read_records(path, 7);
    assert_int_equal(number_of(records, 1, "bytes_dropped"), 300000);
    json_decref(records);
    buf_deinit(&text);
}

static void a_file_of_something_else_is_refused_and_left_alone(void **state)
{
    static const char *const texts[] = {"root:x:0:0\n", "no newline", "{\"seq\":x,\n", "\n",
                                        "{\"seq\":1,\"a\":1}\nother\n"};
    struct error err;
    struct buf text;
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        write_file(path, texts[i]);
        assert_null(decision_log_open(path, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        read_file(path, &text);
        assert_true(span_is(buf_span(&text), texts[i]));
        buf_deinit(&text);
    }
    assert_null(decision_log_open("/dev/null", &err));
}

static void set_file_size_limit(rlim_t limit)
{
    struct rlimit limits;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limits), 0);
    limits.rlim_cur = limit == RLIM_INFINITY ? limits.rlim_max : limit;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limits), 0);
}

static void wait_until_healthy(const struct decision_log *log)
{
    for (int i = 0; i < 1000 && !decision_log_is_healthy(log); i++) {
        usleep(5000);
    }
    assert_true(decision_log_is_healthy(log));
}

static void a_full_disk_loses_no_line_silently_and_tears_none(void **state)
{
    enum { LIMIT = 16 * 1024 };
    struct decision_log *log = open_log();
    int n_durable = 0, n_lost = 0;
    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    set_file_size_limit(LIMIT);
    for (int i = 0; n_lost < 5; i++) {
        bool is_durable = append_wait(log, 0, i);
        assert_int_equal(decision_log_is_healthy(log), is_durable);
        n_durable += is_durable;
        n_lost += !is_durable;
    }
    json_t *records = read_records(path, 1);
    assert_int_equal(json_array_size(records), n_durable);
    json_decref(records);

    set_file_size_limit(RLIM_INFINITY);
    wait_until_healthy(log); /* without any further line */
    assert_true(append_wait(log, 1, 0));
    decision_log_close(log);
    records = read_records(path, 1);
    assert_int_equal(json_array_size(records), n_durable + 2);
    assert_string_equal(type_of(records, (size_t)n_durable), "loss");
    assert_int_equal(number_of(records, (size_t)n_durable, "lines_lost"), n_lost);
    json_decref(records);
}

static void append_allowed(struct decision_log *log, int n)
{
    char room[LINE_ROOM];
    struct error err;
    assert_true(decision_log_append(log, make_line(room, 7, n), NULL, NULL, &err));
}

/* Each line of that producer is there once, in order. */
static void check_allowed(int expected)
{
    json_t *records = read_records(path, 1);
    int n = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        if (number_of(records, i, "producer") == 7) {
            assert_int_equal(number_of(records, i, "n"), n++);
        }
    }
    assert_int_equal(n, expected);
    json_decref(records);
}

/* Answers that were allowed before the disk was known to be full: nobody waits for their lines. */
static void a_line_of_a_given_answer_outlives_a_full_disk(void **state)
{
    enum { LINES = 200 };
    struct decision_log *log = open_log();
    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    set_file_size_limit(4 * 1024);
    for (int i = 0; i < LINES; i++) {
        append_allowed(log, i);
        if (i % 50 == 0) {
            (void)append_wait(log, 0, i); /* so that batches end, and some fail */
        }
    }
    assert_false(append_wait(log, 0, LINES));
    set_file_size_limit(RLIM_INFINITY);
    wait_until_healthy(log);
    decision_log_close(log);
    check_allowed(LINES);
}

/* In place of the C library's. */
static atomic_bool is_disk_broken;
int fdatasync(int fd)
{
    if (atomic_load(&is_disk_broken)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

/* Lines that are in the file, and for which the disk says later that it does not have them. */
static void a_line_of_a_given_answer_outlives_a_failed_sync(void **state)
{
    enum { LINES = 30 };
    struct decision_log *log = open_log();
    (void)state;
    for (int i = 0; i < LINES; i++) {
        append_allowed(log, i);
        usleep(i % 10 == 0 ? 30000 : 0); /* written, but not synced */
    }
    atomic_store(&is_disk_broken, true);
    assert_false(append_wait(log, 0, 0));
    assert_false(append_wait(log, 0, 1));
    atomic_store(&is_disk_broken, false);
    wait_until_healthy(log);
    decision_log_close(log);
    check_allowed(LINES);
}

/* A file system of its own, where that is allowed; the filler is what will be deleted. */
static void a_file_system_without_space_is_survived(void **state)
{
    enum { FILLER = 32 * 1024 };
    static char zeros[FILLER + 1];
    char filler[sizeof(path)];
    int n_durable = 0, n_lost = 0;
    (void)state;
    if (mount("tmpfs", folder, "tmpfs", 0, "size=64k") != 0) {
        skip();
    }
    (void)snprintf(filler, sizeof(filler), "%s/filler", folder);
    memset(zeros, 'z', FILLER);
    write_file(filler, zeros);
    struct decision_log *log = open_log();
    for (int i = 0; n_lost < 3; i++) {
        bool is_durable = append_wait(log, 0, i);
        n_durable += is_durable;
        n_lost += !is_durable;
    }
    assert_false(decision_log_is_healthy(log));
    assert_int_equal(unlink(filler), 0);
    wait_until_healthy(log);
    decision_log_close(log);
    json_t *records = read_records(path, 1);
    assert_int_equal(json_array_size(records), n_durable + 1);
    assert_string_equal(type_of(records, (size_t)n_durable), "loss");
    assert_int_equal(number_of(records, (size_t)n_durable, "lines_lost"), n_lost);
    json_decref(records);
    assert_int_equal(umount(folder), 0);
}

static void a_failed_wait_says_why(void **state)
{
    struct decision_log *log = open_log();
    char room[LINE_ROOM];
    struct error err;
    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    set_file_size_limit(10);
    assert_false(decision_log_append_wait(log, make_line(room, 0, 0), &err));
    set_file_size_limit(RLIM_INFINITY);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_non_null(strstr(err.text, "decision log: write: "));
    decision_log_close(log);
}

enum { PRODUCERS = 8 };

struct producer {
    struct decision_log *log;
    int id;
};

/* The child: threads that append, and write to stdout what they were told is on disk. */
static void *append_and_tell(void *context)
{
    struct producer *p = context;
    char room[LINE_ROOM];
    struct error err;

    for (int i = 0;; i++) {
        int told[2] = {p->id, i};
        bool is_queued = decision_log_append(p->log, make_line(room, p->id, -1), NULL, NULL, &err);
        if (is_queued && append_wait(p->log, p->id, i) &&
            write(1, told, sizeof(told)) != sizeof(told)) {
            return NULL;
        }
    }
}

static int run_child(const char *log_path)
{
    struct error err;
    struct producer producers[PRODUCERS] = {0};
    pthread_t thread;
    struct decision_log *log = decision_log_open(log_path, &err);

    for (int i = 0; log != NULL && i < PRODUCERS; i++) {
        producers[i].log = log;
        producers[i].id = i;
        (void)pthread_create(&thread, NULL, append_and_tell, &producers[i]);
    }
    while (log != NULL) {
        (void)pause();
    }
    return 1;
}

static pid_t start_child(int *told)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execl("/proc/self/exe", "writer", "--write", path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *told = ends[0];
    return child;
}

static void what_was_told_durable_survives_a_kill(void **state)
{
    enum { ROUNDS = 5, TOLD_MIN = 100 };
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int fd, told[2], status, last[PRODUCERS];
        pid_t child = start_child(&fd);
        memset(last, 0xff, sizeof(last));
        for (int n = 0; n < TOLD_MIN + 37 * round; n++) {
            assert_int_equal(read(fd, told, sizeof(told)), sizeof(told));
            last[told[0]] = told[1];
        }
        assert_int_equal(kill(child, SIGKILL), 0);
        while (read(fd, told, sizeof(told)) == sizeof(told)) {
            last[told[0]] = told[1];
        }
        close(fd);
        assert_int_equal(waitpid(child, &status, 0), child);

        decision_log_close(open_log());
        json_t *records = read_records(path, 1);
        int seen[PRODUCERS];
        memset(seen, 0xff, sizeof(seen));
        for (size_t i = 0; i < json_array_size(records); i++) {
            long long n = number_of(records, i, "n");
            if (strcmp(type_of(records, i), "test") == 0 && n >= 0) {
                seen[number_of(records, i, "producer")] = (int)n;
            }
        }
        for (int i = 0; i < PRODUCERS; i++) {
            assert_true(seen[i] >= last[i]);
        }
        json_decref(records);
        assert_int_equal(unlink(path), 0);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return run_child(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        TEST(a_torn_last_line_is_cut_off_and_told),
        TEST(a_torn_first_line_is_cut_off),
        TEST(a_long_torn_tail_is_cut_off),
        TEST(a_file_of_something_else_is_refused_and_left_alone),
        TEST(a_full_disk_loses_no_line_silently_and_tears_none),
        TEST(a_file_system_without_space_is_survived),
        TEST(a_line_of_a_given_answer_outlives_a_full_disk),
        TEST(a_line_of_a_given_answer_outlives_a_failed_sync),
        TEST(a_failed_wait_says_why),
        TEST(what_was_told_durable_survives_a_kill),
    };
    if (!make_folder()) {
        return 2;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
