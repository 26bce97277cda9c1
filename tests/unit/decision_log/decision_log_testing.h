/* decision_log_testing.h - a log in a folder of its own, and its records read back. */
#ifndef FILTERD_TESTS_DECISION_LOG_TESTING_H
#define FILTERD_TESTS_DECISION_LOG_TESTING_H

#include "testing.h"

#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "decision_log/decision_log.h"
#include "support/line_schema.h"

static char folder[] = "/tmp/decision-log-XXXXXX";
static char path[256], old_path[256];

#define TEST(name) cmocka_unit_test_setup_teardown(name, remove_files, remove_files)

static inline bool make_folder(void)
{
    if (mkdtemp(folder) == NULL) {
        return false;
    }
    (void)snprintf(path, sizeof(path), "%s/log", folder);
    (void)snprintf(old_path, sizeof(old_path), "%s/log.1", folder);
    return true;
}

enum { FILE_MAX = 256 * 1024 * 1024, LINE_ROOM = 200 };

static inline struct decision_log *open_log(void)
{
    struct error err;
    struct decision_log *log = decision_log_open(path, &err);
    if (log == NULL) {
        fail_msg("%s", err.text);
    }
    return log;
}

static inline struct span make_line(char room[LINE_ROOM], int producer, int n)
{
    int len =
        snprintf(room, LINE_ROOM, "{\"type\":\"test\",\"producer\":%d,\"n\":%d}", producer, n);
    return span_of(room, (size_t)len);
}

static inline bool append_wait(struct decision_log *log, int producer, int n)
{
    char room[LINE_ROOM];
    struct error err;
    return decision_log_append_wait(log, make_line(room, producer, n), &err);
}

static inline void read_file(const char *name, struct buf *out)
{
    struct error err;
    buf_init(out, FILE_MAX);
    if (!file_read(name, out, &err)) {
        fail_msg("%s", err.text);
    }
}

static inline void write_file(const char *name, const char *text)
{
    struct error err;
    assert_true(file_write_atomic(name, span_str(text), 0600, &err));
}

/* What the log writes about itself; the tests' own lines are no whole records. */
static inline bool is_own(const json_t *record)
{
    const char *type = json_string_value(json_object_get(record, "type"));
    return type != NULL && (strcmp(type, "recovery") == 0 || strcmp(type, "rotation") == 0 || strcmp(type, "loss") == 0);
}

/* The records of a file; fails when a line does not parse or numbers do not follow `first`. */
static inline json_t *read_records(const char *name, long long first)
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
        if (is_own(record)) {
            assert_line(span_of(text.data + at, end - at));
        }
        json_array_append_new(records, record);
        at = end + 1;
    }
    buf_deinit(&text);
    return records;
}

static inline const char *type_of(const json_t *records, size_t i)
{
    return json_string_value(json_object_get(json_array_get(records, i), "type"));
}

static inline long long number_of(const json_t *records, size_t i, const char *name)
{
    return json_integer_value(json_object_get(json_array_get(records, i), name));
}

static inline int remove_files(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(old_path);
    return 0;
}

#endif
