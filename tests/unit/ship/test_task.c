/* An active sink: what it sends, what it repeats, how it ends. */
#include "testing.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "ship/metrics.h"
#include "ship/position.h"
#include "ship/task.h"

static char folder[] = "/tmp/filterd-task-XXXXXX";
static char config_text[1024], log_path[128], away[128], copy[160];
static struct ship_config *config;

/* The sink's folder is not there yet. */
static int start_anew(void **state)
{
    struct error err;
    char command[256];

    (void)state;
    (void)snprintf(log_path, sizeof(log_path), "%s/decisions.jsonl", folder);
    (void)snprintf(away, sizeof(away), "%s/away", folder);
    (void)snprintf(copy, sizeof(copy), "%s/copy.jsonl", away);
    (void)snprintf(config_text, sizeof(config_text),
                   "{log: %s, state: %s, metrics: %s/m.prom, drain: 10s, sinks: {copy: {format: record, file: %s, batch: 3}}}", log_path,
                   folder, folder, copy);
    (void)snprintf(command, sizeof(command), "%s/copy.json", folder);
    (void)unlink(command);
    (void)unlink(copy);
    (void)unlink(log_path);
    (void)rmdir(away);
    ship_config_free(config);
    config = ship_config_parse("x", span_str(config_text), &err);
    return config == NULL ? -1 : 0;
}

static void append(unsigned from, unsigned n)
{
    FILE *file = fopen(log_path, "a");

    assert_non_null(file);
    for (unsigned seq = from; seq < from + n; seq++) {
        (void)fprintf(file, "{\"seq\":%u,\"type\":\"decision\",\"ts\":\"2026-11-23T07:00:00.%09uZ\"}\n", seq, seq);
    }
    (void)fclose(file);
}

static unsigned lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned n = 0;

    for (int c; file != NULL && (c = fgetc(file)) != EOF;) {
        n += c == '\n';
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return n;
}

static struct ship_task *start(void)
{
    struct error err = {.text = ""};
    struct ship_task *t = ship_task_start(config, &config->sinks[0], &err);

    if (t == NULL) {
        fail_msg("%s", err.text);
    }
    return t;
}

static bool end(struct ship_task *t, int64_t ms)
{
    bool is_orderly = ship_task_join(t, clock_monotonic_ms() + ms);

    ship_task_free(t);
    return is_orderly;
}

enum { LONG_MS = 60000 };

static void a_drained_sink_has_all_that_was_there(void **state)
{
    (void)state;
    assert_int_equal(mkdir(away, 0700), 0);
    append(1, 10);
    struct ship_task *t = start();
    ship_task_drain(t);
    assert_true(ship_task_join(t, clock_monotonic_ms() + LONG_MS));
    const struct ship_counts *counts = ship_task_counts(t);
    assert_int_equal(atomic_load(&counts->lines), 10);
    assert_int_equal(atomic_load(&counts->batches), 4);
    assert_int_equal(atomic_load(&counts->seq), 10);
    ship_task_free(t);
    assert_int_equal(lines_of(copy), 10);
}

static void a_restart_goes_on_where_it_was(void **state)
{
    (void)state;
    assert_int_equal(mkdir(away, 0700), 0);
    append(1, 5);
    struct ship_task *t = start();
    ship_task_drain(t);
    assert_true(end(t, LONG_MS));
    append(6, 2);
    t = start();
    ship_task_drain(t);
    assert_true(end(t, LONG_MS));
    assert_int_equal(lines_of(copy), 7);
}

/* Without a wait that could be too short: the counter says that it has failed. */
static void what_fails_is_repeated_until_it_succeeds(void **state)
{
    (void)state;
    append(1, 5);
    struct ship_task *t = start();
    const struct ship_counts *counts = ship_task_counts(t);
    while (atomic_load(&counts->results[SHIP_FAILED]) < 2) {
        (void)usleep(1000);
    }
    assert_int_equal(atomic_load(&counts->lines), 0);
    assert_int_equal(mkdir(away, 0700), 0);
    ship_task_drain(t);
    assert_true(end(t, LONG_MS));
    assert_int_equal(lines_of(copy), 5);
}

static void a_sink_that_never_succeeds_is_cut_off_and_keeps_its_place(void **state)
{
    struct ship_position p;
    char path[PATH_MAX];
    struct error err;

    (void)state;
    append(1, 5);
    struct ship_task *t = start();
    while (atomic_load(&ship_task_counts(t)->results[SHIP_FAILED]) == 0) {
        (void)usleep(1000);
    }
    ship_task_drain(t);
    assert_false(end(t, 0));
    assert_true(ship_position_path(folder, span_str("copy"), path, &err));
    if (ship_position_read(path, &p, &err)) {
        assert_int_equal(p.seq, 0);
    }
}

static void a_position_that_cannot_be_read_is_no_start_from_the_beginning(void **state)
{
    struct error err = {.text = ""};
    char path[PATH_MAX];

    (void)state;
    assert_true(ship_position_path(folder, span_str("copy"), path, &err));
    assert_true(file_write_atomic(path, span_str("{\"v\":1"), 0600, &err));
    assert_null(ship_task_start(config, &config->sinks[0], &err));
    assert_non_null(strstr(err.text, "copy.json"));
}

static void a_torn_line_of_a_file_is_cut_off(void **state)
{
    struct error err;

    (void)state;
    assert_int_equal(mkdir(away, 0700), 0);
    assert_true(file_write_atomic(copy, span_str("{\"seq\":1}\n{\"seq\":2,\"ty"), 0600, &err));
    append(2, 3);
    struct ship_task *t = start();
    ship_task_drain(t);
    assert_true(end(t, LONG_MS));
    assert_int_equal(lines_of(copy), 4);
    struct buf text;
    buf_init(&text, 4096);
    assert_true(file_read(copy, &text, &err));
    assert_memory_equal(text.data, "{\"seq\":1}\n{\"seq\":2,\"type\"", 25);
    buf_deinit(&text);
}

static void metrics_of_a_sink_that_has_nothing_have_a_lag_without_end(void **state)
{
    struct ship_task *none[1] = {NULL};
    struct buf text;
    struct error err;

    (void)state;
    buf_init(&text, 65536);
    assert_true(ship_metrics_format(config, none, 5000000000, &text, &err));
    assert_true(buf_append_char(&text, '\0', &err));
    assert_non_null(strstr(text.data, "\nfilterd_ship_lag_seconds{sink=\"copy\"} +Inf\n"));
    assert_non_null(strstr(text.data, "\nfilterd_ship_as_of_timestamp_seconds{sink=\"copy\"} 0.000\n"));
    assert_non_null(strstr(text.data, "\nfilterd_ship_failures_total{sink=\"copy\",kind=\"refused\"} 0\n"));
    buf_deinit(&text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, start_anew)
    const struct CMUnitTest tests[] = {
        TEST(a_drained_sink_has_all_that_was_there),
        TEST(a_restart_goes_on_where_it_was),
        TEST(what_fails_is_repeated_until_it_succeeds),
        TEST(a_sink_that_never_succeeds_is_cut_off_and_keeps_its_place),
        TEST(a_position_that_cannot_be_read_is_no_start_from_the_beginning),
        TEST(a_torn_line_of_a_file_is_cut_off),
        TEST(metrics_of_a_sink_that_has_nothing_have_a_lag_without_end),
    };

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)start_anew(NULL);
    ship_config_free(config);
    (void)rmdir(folder);
    return failed;
}
