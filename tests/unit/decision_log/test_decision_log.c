#include "unit/decision_log/decision_log_testing.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

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

static void a_log_that_another_program_changed_is_written_no_more(void **state)
{
    static const off_t sizes[] = {0, 10, 4096};
    struct error err;
    char room[LINE_ROOM];
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct decision_log *log = open_log();
        struct stat info;
        assert_true(append_wait(log, 0, 0));
        assert_int_equal(truncate(path, sizes[i]), 0);
        assert_false(decision_log_append_wait(log, make_line(room, 0, 1), &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        assert_non_null(strstr(err.text, "SIGHUP"));
        assert_false(decision_log_is_healthy(log));
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, sizes[i]);

        /* A file of its own is right again. */
        assert_int_equal(rename(path, old_path), 0);
        assert_true(decision_log_reopen(log, &err));
        assert_true(append_wait(log, 0, 2));
        assert_true(decision_log_is_healthy(log));
        decision_log_close(log);
        (void)remove_files(state);
    }
}

static void post(void *gate, bool is_durable)
{
    assert_true(is_durable);
    assert_int_equal(sem_post(gate), 0);
}

/* Also behind a line for which the writer lingers longer. */
static void a_line_nobody_waits_for_yet_is_on_disk_soon(void **state)
{
    struct decision_log *log = open_log();
    char room[LINE_ROOM];
    struct error err;
    sem_t gate;
    (void)state;
    assert_int_equal(sem_init(&gate, 0, 0), 0);
    for (int i = 0; i < 4; i++) {
        assert_true(i % 2 == 0 || decision_log_append(log, make_line(room, 0, i), NULL, NULL, &err));
        assert_true(decision_log_append_deferred(log, make_line(room, 0, i), post, &gate, &err));
        if (i >= 2) {
            decision_log_flush(log);
        }
        assert_int_equal(sem_wait(&gate), 0);
    }
    decision_log_flush(log); /* nothing is there */
    decision_log_close(log);
    json_t *records = read_records(path, 1);
    assert_int_equal(json_array_size(records), 6);
    json_decref(records);
    sem_destroy(&gate);
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
        while (i % 3 == 1 ? !decision_log_append_deferred(p->log, make_line(room, p->id, i), count_done, p, &err)
                          : !decision_log_append(p->log, make_line(room, p->id, i), done, p, &err)) {
            usleep(1000);
        }
        if (i % 7 == 0) {
            decision_log_flush(p->log);
        }
    }
    return NULL;
}

struct before {
    bool fails;
    size_t n_calls, bytes; /* of the file, when it was called last */
};

static bool look_before(void *context, struct error *err)
{
    struct before *b = context;
    struct stat info;

    b->n_calls++;
    b->bytes = stat(path, &info) == 0 ? (size_t)info.st_size : 0;
    return !b->fails || error_set(err, ERROR_SYSTEM, "what lines name is not on disk");
}

/* What a line names is on disk before the line is; when it cannot be, the line is nowhere and its loss is said. */
static void what_lines_name_is_synced_before_they_are_written(void **state)
{
    (void)state;
    struct decision_log *log = open_log();
    struct before before = {.fails = false};
    struct stat info;

    decision_log_before_write(log, look_before, &before);
    assert_true(append_wait(log, 1, 1));
    assert_int_equal(before.n_calls, 1);
    assert_int_equal(stat(path, &info), 0);
    assert_true(before.bytes < (size_t)info.st_size);
    before.fails = true;
    assert_false(append_wait(log, 1, 2));
    assert_false(decision_log_is_healthy(log));
    before.fails = false;
    assert_true(append_wait(log, 1, 3));
    decision_log_close(log);
    struct buf text;
    read_file(path, &text);
    assert_null(memmem(text.data, text.len, "\"n\":2}", 6));
    assert_non_null(memmem(text.data, text.len, "\"n\":3}", 6));
    assert_non_null(memmem(text.data, text.len, "\"type\":\"loss\"", 13));
    buf_deinit(&text);
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
        assert_int_equal(producers[i].n_done, (EACH + 2) / 3 + (EACH + 1) / 3);
        assert_int_equal(producers[i].n_durable, (EACH + 2) / 3 + (EACH + 1) / 3);
    }
    json_decref(records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_are_numbered_and_say_where_they_were_written),
        TEST(numbers_go_on_when_the_log_is_opened_again),
        TEST(a_line_nobody_waits_for_is_written_soon),
        TEST(a_line_nobody_waits_for_yet_is_on_disk_soon),
        TEST(closing_writes_what_is_queued),
        TEST(a_path_that_cannot_be_written_is_an_error),
        TEST(a_second_writer_is_refused),
        TEST(a_line_that_would_break_the_frame_is_refused),
        TEST(a_full_queue_refuses_and_tells_later),
        TEST(a_reopened_log_goes_on_in_the_new_file),
        TEST(a_failed_reopen_keeps_the_old_file),
        TEST(a_log_that_another_program_changed_is_written_no_more),
        TEST(what_lines_name_is_synced_before_they_are_written),
        TEST(many_producers_keep_their_order_and_hear_once),
    };
    if (!make_folder()) {
        return 2;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
