/* Closed files are named and compressed, without a moment at which a line is in no file. */
#include "unit/ctl_record/closed_testing.h"

#include "ctl/record/closing.h"

static const char *const any_time[N_FILES] = {OLD, OLD, OLD, OLD};

#define FIRST "decisions-00000001.jsonl.zst"
#define SECOND "decisions-00000301.jsonl.gz" /* which was compressed already */
#define THIRD "decisions-00000601.jsonl.zst"

static bool close_all(struct closing_result *result)
{
    struct closed_log c;

    must(closed_log_open(&c, in_folder("decisions.jsonl"), &err), &err);
    bool is_done = closing_run(&c, result, &err);
    closed_log_close(&c);
    return is_done;
}

static void assert_closed(void)
{
    struct stat info;

    assert_true(is_there(FIRST) && is_there(SECOND) && is_there(THIRD) && is_there("decisions.jsonl"));
    for (unsigned i = 0; i + 1 < N_FILES; i++) {
        assert_false(is_there(file_name(i)));
    }
    assert_int_equal(stat(in_folder(FIRST), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_true(info.st_size < PER_FILE * 60);
    verify();
    assert_true(prove(1) && prove(PER_FILE + 1) && prove(3 * PER_FILE) && prove(LINES));
}

static void make(void)
{
    make_log(any_time, "");
    assert_int_equal(chmod(in_folder(file_name(0)), 0640), 0);
}

static void files_are_named_and_compressed(void **state)
{
    struct closing_result result;

    (void)state;
    make();
    must(close_all(&result), &err);
    assert_int_equal(result.n, 3);
    assert_int_equal(result.n_waiting, 0);
    assert_closed();
    must(close_all(&result), &err);
    assert_int_equal(result.n, 0);
    assert_closed();
}

static void names_of_other_logs_are_left(void **state)
{
    static const char other[] = "{\"seq\":1,\"v\":2,\"type\":\"log\",\"origin\":\"another\"}\n";
    struct closing_result result;

    (void)state;
    make();
    write_log(FIRST, LOG_ZSTD, span_str(other));
    must(close_all(&result), &err);
    assert_true(is_there("decisions-00000001-1.jsonl.zst"));
    verify();
    must(close_all(&result), &err);
    assert_int_equal(result.n, 0);
    struct log_files files = {0};
    must(log_files_add(&files, in_folder(FIRST), &err), &err);
    assert_string_equal(files.items[0].origin, "another");
    log_files_deinit(&files);
}

/* The file stays as it is, and nothing is left of the attempt. */
static void what_was_not_signed_is_not_compressed(void **state)
{
    struct closing_result result;
    struct buf text;

    (void)state;
    make();
    buf_init(&text, 1024 * 1024);
    must(file_read(in_folder(file_name(0)), &text, &err), &err);
    char *at = memmem(text.data, text.len, "2020", 4);
    at[3] = '1';
    must(file_write_atomic(in_folder(file_name(0)), buf_span(&text), 0600, &err), &err);
    assert_false(close_all(&result));
    assert_non_null(strstr(err.text, "line 1 is not what was signed"));
    assert_true(is_there(file_name(0)) && !is_there(FIRST) && !is_there("." FIRST ".new"));

    /* Likewise a copy of this log that is in the way and lacks lines. */
    make();
    write_log(FIRST, LOG_ZSTD, span_slice(buf_span(&log_.text), 0, log_.text.len / N_FILES / 2));
    assert_false(close_all(&result));
    assert_true(is_there(file_name(0)));
    buf_deinit(&text);
}

static void lines_without_a_checkpoint_wait(void **state)
{
    struct closing_result result;

    (void)state;
    make();
    size_t at = log_.text.len;
    add_line(OLD, true, "");
    assert_int_equal(renameat(AT_FDCWD, in_folder("decisions.jsonl"), AT_FDCWD, in_folder("last")), 0);
    write_log("unsigned", LOG_PLAIN, span_slice(buf_span(&log_.text), at, log_.text.len));
    at = log_.text.len;
    add_line(OLD, true, "");
    write_log("decisions.jsonl", LOG_PLAIN, span_slice(buf_span(&log_.text), at, log_.text.len));
    must(close_all(&result), &err);
    assert_int_equal(result.n, 4);
    assert_int_equal(result.n_waiting, 1);
    assert_true(is_there("unsigned") && is_there("decisions-00000901.jsonl.zst"));
}

static void run_closing(void)
{
    struct closing_result result;

    must(close_all(&result), &err);
}

static void a_crash_at_any_step_is_recovered_from(void **state)
{
    struct closing_result result;
    unsigned at = 1;

    (void)state;
    for (make(); crash(run_closing, at); make()) {
        verify();
        must(close_all(&result), &err);
        assert_closed();
        assert_true(++at < CRASHES_MAX);
    }
    assert_true(at > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_named_and_compressed),
        cmocka_unit_test(names_of_other_logs_are_left),
        cmocka_unit_test(what_was_not_signed_is_not_compressed),
        cmocka_unit_test(lines_without_a_checkpoint_wait),
        cmocka_unit_test(a_crash_at_any_step_is_recovered_from),
    };

    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)empty_folder(NULL);
    (void)rmdir(folder);
    return failed;
}
