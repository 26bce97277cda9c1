#include "testing.h"

#include <jansson.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "enforce/decision_log.h"

enum { FILE_MAX = 256 * 1024 * 1024, LINE_ROOM = 200 };

static char folder[] = "/tmp/decision-log-XXXXXX";
static char path[256], old_path[256];

static struct decision_log *open_log(void)
{
    struct error err;
    struct decision_log *log = decision_log_open(path, &err);
    if (log == NULL) {
        fail_msg("%s", err.text);
    }
    return log;
}

static struct span make_line(char room[LINE_ROOM], int producer, int n)
{
    int len =
        snprintf(room, LINE_ROOM, "{\"type\":\"test\",\"producer\":%d,\"n\":%d}", producer, n);
    return span_of(room, (size_t)len);
}

static bool append_wait(struct decision_log *log, int producer, int n)
{
    char room[LINE_ROOM];
    struct error err;
    return decision_log_append_wait(log, make_line(room, producer, n), &err);
}

static void read_file(const char *name, struct buf *out)
{
    struct error err;
    buf_init(out, FILE_MAX);
    if (!file_read(name, out, &err)) {
        fail_msg("%s", err.text);
    }
}

static void write_file(const char *name, const char *text)
{
    struct error err;
    assert_true(file_write_atomic(name, span_str(text), 0600, &err));
}

/* The records of a file; fails when a line does not parse or numbers do not follow `first`. */
static json_t *read_records(const char *name, long long first)
{
    json_t *records = json_array();
    struct buf text;

    read_file(name, &text);
    for (size_t at = 0; at < text.len;) {
        const char *newline = memchr(text.data + at, '\n', text.len - at);
        assert_non_null(newline);
        size_t end = (size_t)(newline - text.data);
        json_t *record = json_loadb(text.data + at, end - at, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(record);
        assert_int_equal(json_integer_value(json_object_get(record, "seq")), first++);
        assert_true(json_is_string(json_object_get(record, "node")));
        assert_true(json_is_string(json_object_get(record, "boot_id")));
        json_array_append_new(records, record);
        at = end + 1;
    }
    buf_deinit(&text);
    return records;
}

static const char *type_of(const json_t *records, size_t i)
{
    return json_string_value(json_object_get(json_array_get(records, i), "type"));
}

static long long number_of(const json_t *records, size_t i, const char *name)
{
    return json_integer_value(json_object_get(json_array_get(records, i), name));
}

static int remove_files(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(old_path);
    return 0;
}

static void lines_are_numbered_and_say_where_they_were_written(void **state)
{
    struct decision_log *log = open_log();
    struct stat info;
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(append_wait(log, 0, i));
    }
    decision_log_close(log);
    json_t *records = read_records(path, 1);
    assert_int_equal(json_array_size(records), 3);
    assert_int_equal(number_of(records, 2, "n"), 2);
    json_decref(records);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void numbers_go_on_when_the_log_is_opened_again(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct decision_log *log = open_log();
        assert_true(append_wait(log, 0, i));
        decision_log_close(log);
    }
    json_t *records = read_records(path, 1);
    assert_int_equal(json_array_size(records), 3);
    json_decref(records);
}

static void a_line_nobody_waits_for_is_written_soon(void **state)
{
    struct decision_log *log = open_log();
    char room[LINE_ROOM];
    struct error err;
    struct stat info = {0};
    (void)state;
    assert_true(decision_log_append(log, make_line(room, 0, 0), NULL, NULL, &err));
    for (int i = 0; i < 1000 && info.st_size == 0; i++) {
        usleep(5000);
        assert_int_equal(stat(path, &info), 0);
    }
    assert_true(info.st_size > 0);
    decision_log_close(log);
}

static void closing_writes_what_is_queued(void **state)
{
    struct decision_log *log = open_log();
    char room[LINE_ROOM];
    struct error err;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_true(decision_log_append(log, make_line(room, 0, i), NULL, NULL, &err));
    }
    decision_log_close(log);
    json_t *records = read_records(path, 1);
    assert_int_equal(json_array_size(records), 1000);
    json_decref(records);
}

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

static void a_path_that_cannot_be_written_is_an_error(void **state)
{
    struct error err;
    (void)state;
    assert_null(decision_log_open("/nonexistent/filterd/log", &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_null(decision_log_open("/", &err));
}

static void a_second_writer_is_refused(void **state)
{
    struct decision_log *log = open_log();
    struct error err;
    (void)state;
    assert_null(decision_log_open(path, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    decision_log_close(log);
}

static void a_line_that_would_break_the_frame_is_refused(void **state)
{
    static char long_line[DECISION_RECORD_MAX + 1];
    static const char *const lines[] = {"", "{}", "[1]", "{\"a\":1", "{\"a\":1}\n", "{\"a\":\n1}"};
    struct decision_log *log = open_log();
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_false(decision_log_append(log, span_str(lines[i]), NULL, NULL, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
    }
    memset(long_line, ' ', sizeof(long_line));
    memcpy(long_line, "{\"a\":1", 6);
    long_line[DECISION_RECORD_MAX - 1] = '}';
    assert_true(
        decision_log_append(log, span_of(long_line, DECISION_RECORD_MAX), NULL, NULL, &err));
    assert_false(decision_log_append(log, span_of(long_line, sizeof(long_line)), NULL, NULL, &err));
    decision_log_close(log);
    struct buf text;
    read_file(path, &text);
    assert_true(text.len <= DECISION_LINE_MAX);
    buf_deinit(&text);
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

static void hold_writer(void *gate, bool is_durable)
{
    (void)is_durable;
    (void)sem_wait(gate);
}

static void a_full_queue_refuses_and_tells_later(void **state)
{
    static char line[DECISION_RECORD_MAX];
    struct decision_log *log = open_log();
    char room[LINE_ROOM];
    struct error err;
    sem_t gate;
    int n_refused = 0;
    (void)state;
    memset(line, ' ', sizeof(line));
    memcpy(line, "{\"a\":1", 6);
    line[sizeof(line) - 1] = '}';
    assert_int_equal(sem_init(&gate, 0, 0), 0);
    assert_true(decision_log_append(log, make_line(room, 0, 0), hold_writer, &gate, &err));
    for (int i = 0; i < 2000; i++) {
        if (!decision_log_append(log, span_of(line, sizeof(line)), NULL, NULL, &err)) {
            assert_int_equal(err.kind, ERROR_LIMIT);
            n_refused++;
        }
    }
    assert_true(n_refused > 0);
    assert_int_equal(sem_post(&gate), 0);
    assert_true(append_wait(log, 0, 1) || append_wait(log, 0, 1));
    decision_log_close(log);
    json_t *records = read_records(path, 1);
    long long lost = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const char *type = type_of(records, i);
        lost += type != NULL && strcmp(type, "loss") == 0 ? number_of(records, i, "lines_lost") : 0;
    }
    assert_true(lost >= n_refused);
    json_decref(records);
    sem_destroy(&gate);
}

static void a_reopened_log_goes_on_in_the_new_file(void **state)
{
    struct decision_log *log = open_log();
    struct error err;
    (void)state;
    assert_true(append_wait(log, 0, 0));
    assert_true(decision_log_reopen(log, &err)); /* nothing was moved: nothing happens */
    assert_true(append_wait(log, 0, 1));
    assert_int_equal(rename(path, old_path), 0);
    assert_true(decision_log_reopen(log, &err));
    assert_true(append_wait(log, 0, 2));
    decision_log_close(log);
    json_t *before = read_records(old_path, 1);
    json_t *after = read_records(path, 3);
    assert_int_equal(json_array_size(before), 2);
    assert_int_equal(json_array_size(after), 2);
    assert_string_equal(type_of(after, 0), "rotation");
    json_decref(before);
    json_decref(after);
}

static void a_failed_reopen_keeps_the_old_file(void **state)
{
    struct decision_log *log = open_log();
    struct error err;
    (void)state;
    assert_int_equal(rename(path, old_path), 0);
    write_file(path, "something else\n");
    assert_false(decision_log_reopen(log, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_true(append_wait(log, 0, 0));
    decision_log_close(log);
    json_t *records = read_records(old_path, 1);
    assert_int_equal(json_array_size(records), 1);
    json_decref(records);
}

static void a_log_truncated_by_a_rotation_goes_on(void **state)
{
    struct decision_log *log = open_log();
    (void)state;
    assert_true(append_wait(log, 0, 0));
    assert_int_equal(truncate(path, 0), 0);
    assert_true(append_wait(log, 0, 1));
    decision_log_close(log);
    json_t *records = read_records(path, 2);
    assert_int_equal(json_array_size(records), 1);
    json_decref(records);
}

enum { PRODUCERS = 8, EACH = 2000 };

struct producer {
    struct decision_log *log;
    int id;
    atomic_int n_done, n_durable;
};

static void count_done(void *context, bool is_durable)
{
    struct producer *p = context;
    p->n_done++;
    p->n_durable += is_durable;
}

static void *produce(void *context)
{
    struct producer *p = context;
    char room[LINE_ROOM];
    struct error err;

    for (int i = 0; i < EACH; i++) {
        decision_done_fn *done = i % 3 == 0 ? count_done : NULL;
        while (!decision_log_append(p->log, make_line(room, p->id, i), done, p, &err)) {
            usleep(1000);
        }
    }
    return NULL;
}

static void many_producers_keep_their_order_and_hear_once(void **state)
{
    struct producer producers[PRODUCERS] = {0};
    pthread_t threads[PRODUCERS];
    struct decision_log *log = open_log();
    int next[PRODUCERS] = {0};
    (void)state;
    for (int i = 0; i < PRODUCERS; i++) {
        producers[i].log = log;
        producers[i].id = i;
        assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
    }
    for (int i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    decision_log_close(log);
    json_t *records = read_records(path, 1);
    assert_int_equal(json_array_size(records), PRODUCERS * EACH);
    for (size_t i = 0; i < json_array_size(records); i++) {
        long long id = number_of(records, i, "producer");
        assert_int_equal(number_of(records, i, "n"), next[id]++);
    }
    for (int i = 0; i < PRODUCERS; i++) {
        assert_int_equal(producers[i].n_done, (EACH + 2) / 3);
        assert_int_equal(producers[i].n_durable, (EACH + 2) / 3);
    }
    json_decref(records);
}

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

#define TEST(name) cmocka_unit_test_setup_teardown(name, remove_files, remove_files)

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return run_child(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        TEST(lines_are_numbered_and_say_where_they_were_written),
        TEST(numbers_go_on_when_the_log_is_opened_again),
        TEST(a_line_nobody_waits_for_is_written_soon),
        TEST(closing_writes_what_is_queued),
        TEST(a_torn_last_line_is_cut_off_and_told),
        TEST(a_torn_first_line_is_cut_off),
        TEST(a_long_torn_tail_is_cut_off),
        TEST(a_file_of_something_else_is_refused_and_left_alone),
        TEST(a_path_that_cannot_be_written_is_an_error),
        TEST(a_second_writer_is_refused),
        TEST(a_line_that_would_break_the_frame_is_refused),
        TEST(a_full_disk_loses_no_line_silently_and_tears_none),
        TEST(a_failed_wait_says_why),
        TEST(a_full_queue_refuses_and_tells_later),
        TEST(a_reopened_log_goes_on_in_the_new_file),
        TEST(a_failed_reopen_keeps_the_old_file),
        TEST(a_log_truncated_by_a_rotation_goes_on),
        TEST(many_producers_keep_their_order_and_hear_once),
        TEST(what_was_told_durable_survives_a_kill),
    };
    if (mkdtemp(folder) == NULL) {
        return 2;
    }
    (void)snprintf(path, sizeof(path), "%s/log", folder);
    (void)snprintf(old_path, sizeof(old_path), "%s/log.1", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
