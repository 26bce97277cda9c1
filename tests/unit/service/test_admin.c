/* Changes of the configuration on record. */
#include "testing.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "decision_log/admin_record.h"
#include "service/admin.h"
#include "support/line_schema.h"

enum { LOG_MAX = 1 << 20 };

static char folder[] = "/tmp/admin-XXXXXX", log_path[64], state_path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(log_path, sizeof(log_path), "%s/log", folder);
    (void)snprintf(state_path, sizeof(state_path), "%s/admin", folder);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    (void)unlink(log_path);
    (void)unlink(state_path);
    return 0;
}

/* A service's start, or reload when `a` is one that runs: these digests, by `by`. */
static void record(const char *state_directory, const char *policy, const char *tokens, const char *by)
{
    struct error err;
    struct admin a;
    struct decision_log *log = decision_log_open(log_path, &err);

    assert_non_null(log);
    admin_open(&a, log, state_directory);
    struct admin_digests now = a.recorded;
    (void)snprintf(now.of[ADMIN_POLICY], ADMIN_DIGEST, "%s", policy);
    (void)snprintf(now.of[ADMIN_TOKENS], ADMIN_DIGEST, "%s", tokens);
    assert_true(admin_record(&a, &now, by, &err));
    decision_log_close(log);
}

static const char *text_at(const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));
    return text == NULL ? "-" : text;
}

/* "what before after by" of each admin line. */
static void assert_lines(const char *expected)
{
    struct buf text, said;
    struct error err;
    char *rest = NULL;

    buf_init(&text, LOG_MAX);
    buf_init(&said, LOG_MAX);
    assert_true(file_read(log_path, &text, &err) && buf_append_char(&text, '\0', &err));
    for (char *line = strtok_r(text.data, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        json_t *record = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        assert_line(span_str(line));
        if (strcmp(text_at(record, "type"), "admin") == 0) {
            assert_true(buf_appendf(&said, &err, "%s %s %s %s\n", text_at(record, "what"), text_at(record, "before"),
                                    text_at(record, "after"), text_at(record, "by")));
        }
        json_decref(record);
    }
    assert_true(buf_append_char(&said, '\0', &err));
    assert_string_equal(said.data, expected);
    buf_deinit(&text);
    buf_deinit(&said);
}

static void the_first_start_records_all_that_there_is(void **state)
{
    (void)state;
    record(folder, "sha256:01", "", "start");
    assert_lines("policy - sha256:01 start\n");
}

static void nothing_is_recorded_when_nothing_changed(void **state)
{
    (void)state;
    record(folder, "sha256:01", "sha256:02", "start");
    record(folder, "sha256:01", "sha256:02", "start");
    assert_lines("policy - sha256:01 start\ntokens - sha256:02 start\n");
}

static void a_change_while_the_service_was_stopped_has_its_before(void **state)
{
    (void)state;
    record(folder, "sha256:01", "sha256:02", "start");
    record(folder, "sha256:03", "sha256:02", "start");
    assert_lines("policy - sha256:01 start\ntokens - sha256:02 start\npolicy sha256:01 sha256:03 start\n");
}

static void what_is_taken_away_has_no_after(void **state)
{
    (void)state;
    record(folder, "sha256:01", "sha256:02", "start");
    record(folder, "sha256:01", "", "anna");
    assert_lines("policy - sha256:01 start\ntokens - sha256:02 start\ntokens sha256:02 - anna\n");
}

static void without_a_state_directory_each_start_is_the_first(void **state)
{
    (void)state;
    record(NULL, "sha256:01", "", "start");
    record(NULL, "sha256:01", "", "start");
    assert_lines("policy - sha256:01 start\npolicy - sha256:01 start\n");
}

static void a_state_file_that_says_nothing_is_none(void **state)
{
    struct error err;

    (void)state;
    assert_true(file_write_atomic(state_path, span_str("policy sha256:zz\npolicy\ntokens  \ncolour sha256:00\npolicy"), 0600, &err));
    record(folder, "sha256:01", "", "start");
    assert_lines("policy - sha256:01 start\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, remove_files, remove_files)
    const struct CMUnitTest tests[] = {
        TEST(the_first_start_records_all_that_there_is),
        TEST(nothing_is_recorded_when_nothing_changed),
        TEST(a_change_while_the_service_was_stopped_has_its_before),
        TEST(what_is_taken_away_has_no_after),
        TEST(without_a_state_directory_each_start_is_the_first),
        TEST(a_state_file_that_says_nothing_is_none),
    };
    int status = cmocka_run_group_tests(tests, make_folder, NULL);

    (void)rmdir(folder);
    return status;
}
