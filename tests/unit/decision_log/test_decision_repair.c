/* Exchanges that a crash left open. */
#include "unit/decision_log/decision_log_testing.h"

static const char open_format[] =
    "{\"v\":1,\"type\":\"decision\",\"ts\":\"2026-01-02T03:04:05.000000006Z\",\"req_id\":\"%s\","
    "\"agent\":\"a \\\"phase\\\":\\\"final\\\" b\",\"policy\":{\"name\":\"p\"},\"phase\":\"open\","
    "\"protocol\":\"openai\",\"upstream\":\"ai\",\"elapsed_us\":17}";
static const char end_format[] =
    "{\"v\":1,\"type\":\"decision\",\"req_id\":\"%s\",\"phase\":\"%s\",\"end\":\"whole\"}";

static bool has(const struct buf *text, const char *part)
{
    return memmem(text->data, text->len, part, strlen(part)) != NULL;
}

/* The id of the nth exchange. */
static const char *id_of(int n)
{
    static char id[40];
    (void)snprintf(id, sizeof(id), "01900000-0000-7000-8000-%012x", (unsigned)n);
    return id;
}

static void append(struct decision_log *log, const char *text)
{
    struct error err;
    assert_true(decision_log_append(log, span_str(text), NULL, NULL, &err));
}

static void begin(struct decision_log *log, int n)
{
    char line[LINE_ROOM * 2];
    (void)snprintf(line, sizeof(line), open_format, id_of(n));
    append(log, line);
}

static void end(struct decision_log *log, int n, const char *phase)
{
    char line[LINE_ROOM];
    (void)snprintf(line, sizeof(line), end_format, id_of(n), phase);
    append(log, line);
}

/* Opens the log again, as a start after a crash does, and reads what is there then. */
static json_t *reopen(size_t n_repaired)
{
    struct decision_log *log = open_log();
    assert_int_equal(decision_log_repaired(log), n_repaired);
    decision_log_close(log);
    return read_records(path, 1);
}

static const char *text_of(const json_t *records, size_t i, const char *name)
{
    return json_string_value(json_object_get(json_array_get(records, i), name));
}

static void what_a_crash_left_open_is_aborted_at_the_next_start(void **state)
{
    (void)state;
    struct decision_log *log = open_log();
    assert_int_equal(decision_log_repaired(log), 0);
    begin(log, 1);
    begin(log, 2);
    begin(log, 3);
    begin(log, 4);
    end(log, 1, "final");
    end(log, 3, "aborted");
    decision_log_close(log);
    json_t *records = reopen(2);
    assert_int_equal(json_array_size(records), 9);
    assert_string_equal(text_of(records, 6, "req_id"), id_of(2));
    assert_string_equal(text_of(records, 7, "req_id"), id_of(4));
    assert_string_equal(type_of(records, 8), "recovery");
    assert_int_equal(number_of(records, 8, "exchanges_aborted"), 2);
    assert_null(json_object_get(json_array_get(records, 8), "exchanges_left"));
    json_decref(records);
}

static void an_aborted_record_has_what_the_open_one_said(void **state)
{
    (void)state;
    struct decision_log *log = open_log();
    begin(log, 1);
    decision_log_close(log);
    json_t *records = reopen(1);
    assert_string_equal(type_of(records, 1), "decision");
    assert_int_equal(number_of(records, 1, "v"), 2);
    assert_string_equal(text_of(records, 1, "phase"), "aborted");
    assert_string_equal(text_of(records, 1, "end"), "crash");
    assert_string_equal(text_of(records, 1, "reason"), "the service ended before the exchange did");
    assert_string_equal(text_of(records, 1, "agent"), "a \"phase\":\"final\" b");
    assert_string_equal(text_of(records, 1, "upstream"), "ai");
    assert_string_equal(text_of(records, 1, "protocol"), "openai");
    assert_string_not_equal(text_of(records, 1, "ts"), text_of(records, 0, "ts"));
    json_t *policy = json_object_get(json_array_get(records, 1), "policy");
    assert_string_equal(json_string_value(json_object_get(policy, "name")), "p");
    assert_null(json_object_get(json_array_get(records, 1), "elapsed_us"));
    assert_null(json_object_get(json_array_get(records, 1), "action"));
    json_decref(records);
}

static void what_was_repaired_is_not_repaired_again(void **state)
{
    (void)state;
    struct decision_log *log = open_log();
    begin(log, 1);
    decision_log_close(log);
    json_decref(reopen(1));
    json_t *records = reopen(0);
    assert_int_equal(json_array_size(records), 3);
    json_decref(records);
}

static void a_torn_end_leaves_its_exchange_open(void **state)
{
    struct buf text;
    struct error err;
    (void)state;
    struct decision_log *log = open_log();
    begin(log, 1);
    end(log, 1, "final");
    decision_log_close(log);
    read_file(path, &text);
    text.len -= 2;
    assert_true(file_write_atomic(path, buf_span(&text), 0600, &err));
    buf_deinit(&text);
    json_t *records = reopen(1);
    assert_int_equal(json_array_size(records), 4);
    assert_string_equal(type_of(records, 1), "recovery");
    assert_string_equal(text_of(records, 2, "end"), "crash");
    assert_string_equal(type_of(records, 3), "recovery");
    json_decref(records);
}

static void an_open_record_that_cannot_be_read_is_counted(void **state)
{
    (void)state;
    struct decision_log *log = open_log();
    begin(log, 1);
    decision_log_close(log);
    struct buf text;
    struct error err;
    read_file(path, &text);
    assert_true(buf_append_str(&text,
                               "{\"seq\":2,\"node\":\"n\",\"boot_id\":\"b\",\"req_id\":"
                               "\"01900000-0000-7000-8000-00000000000f\",\"phase\":\"open\",}\n",
                               &err));
    assert_true(file_write_atomic(path, buf_span(&text), 0600, &err));
    buf_deinit(&text);
    log = open_log();
    assert_int_equal(decision_log_repaired(log), 1);
    decision_log_close(log);
    read_file(path, &text);
    assert_true(has(&text, "\"exchanges_aborted\":1,\"exchanges_left\":1}"));
    buf_deinit(&text);
}

/* Records of several steps of the scan, and of several batches. */
static void many_are_found_wherever_they_stand(void **state)
{
    enum { N = 12000, EACH = 5 };
    (void)state;
    struct decision_log *log = open_log();
    for (int i = 0; i < N; i++) {
        begin(log, i);
        if (i % EACH != 0) {
            end(log, i, "final");
        }
        if (i % 1000 == 0) {
            assert_true(append_wait(log, 0, i)); /* or the queue would be full */
        }
    }
    decision_log_close(log);
    json_t *records = reopen(N / EACH);
    size_t n = json_array_size(records);
    assert_int_equal(number_of(records, n - 1, "exchanges_aborted"), N / EACH);
    for (size_t i = 0; i < N / EACH; i++) {
        assert_string_equal(text_of(records, n - 1 - N / EACH + i, "req_id"), id_of((int)i * EACH));
    }
    json_decref(records);
    json_decref(reopen(0));
}

/* The old file was moved away while the process that opened the exchanges lives. */
static void a_rotation_aborts_nothing(void **state)
{
    struct error err;
    (void)state;
    struct decision_log *log = open_log();
    begin(log, 1);
    assert_true(append_wait(log, 0, 0));
    assert_int_equal(rename(path, old_path), 0);
    assert_true(decision_log_reopen(log, &err));
    begin(log, 2);
    assert_true(append_wait(log, 0, 0));
    assert_int_equal(rename(old_path, path), 0); /* the first file again, with an open exchange */
    assert_true(decision_log_reopen(log, &err));
    end(log, 1, "final");
    decision_log_close(log);
    struct buf text;
    read_file(path, &text);
    assert_false(has(&text, "crash"));
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_crash_left_open_is_aborted_at_the_next_start),
        TEST(an_aborted_record_has_what_the_open_one_said),
        TEST(what_was_repaired_is_not_repaired_again),
        TEST(a_torn_end_leaves_its_exchange_open),
        TEST(an_open_record_that_cannot_be_read_is_counted),
        TEST(many_are_found_wherever_they_stand),
        TEST(a_rotation_aborts_nothing),
    };
    if (!make_folder()) {
        return 2;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
