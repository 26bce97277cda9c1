#include "testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "config.h"

static struct config config;
static struct error err;
static char file[] = "/tmp/filterd-config-XXXXXX";

static bool with(const char *one, const char *two)
{
    /* A program's arguments last as long as it runs, and the configuration points to them. */
    static char program[] = "filterd", a[256], b[256], state[] = "--state-directory=/tmp/x";
    char *argv[] = {program, state, a, b};

    config_deinit(&config);
    (void)snprintf(a, sizeof(a), "%s", one);
    (void)snprintf(b, sizeof(b), "%s", two == NULL ? "" : two);
    err.text[0] = '\0';
    return config_init(&config, two != NULL ? 4 : 3, argv, &err);
}

static void write_file(const char *yaml)
{
    assert_true(file_write_atomic(file, span_str(yaml), 0600, &err));
}

static bool with_file(const char *yaml, const char *argument)
{
    char option[128];

    write_file(yaml);
    (void)snprintf(option, sizeof(option), "--config=%s", file);
    return with(option, argument);
}

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(file);
    return fd < 0 || close(fd) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    config_deinit(&config);
    return unlink(file);
}

static void numbers_have_units_and_bounds(void **state)
{
    (void)state;
    assert_true(with("--text-max=1K", NULL));
    assert_int_equal(config.service.text_max, 1024);
    assert_true(with("--text-max=64M", NULL));
    assert_int_equal(config.service.text_max, 64 << 20);
    assert_true(with("--batch-body-max=1G", NULL));
    assert_int_equal(config.service.batch_body_max, 1 << 30);
    assert_false(with("--text-max=65M", NULL));
    assert_false(with("--text-max=0", NULL));
    assert_false(with("--text-max=-1", NULL));
    assert_false(with("--text-max=1KB", NULL));
    assert_false(with("--text-max=", NULL));
    assert_false(with("--text-max=99999999999999999999", NULL));
    assert_false(with("--text-max=99999999999999G", NULL));
    assert_false(with("--queue=1K", NULL)); /* pieces have no unit */
}

static void a_mode_is_octal(void **state)
{
    (void)state;
    assert_true(with("--socket-mode=0660", NULL));
    assert_int_equal(config.service.socket_mode, 0660);
    assert_false(with("--socket-mode=0888", NULL));
    assert_false(with("--socket-mode=1777", NULL));
}

static void the_command_line_overrides_the_file(void **state)
{
    (void)state;
    assert_true(with_file("queue: 7\nlisten: '127.0.0.1:1'\n", "--queue=8"));
    assert_int_equal(config.service.queue, 8);
    assert_string_equal(config.service.listen, "127.0.0.1:1");
}

static void faults_of_a_file_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *place;
    } cases[] = {
        {"queue: 1\nlissten: a\n", ":2:1: unknown option 'lissten' (did you mean listen?)"},
        {"spans: maybe\n", ":1:8: spans: on or off expected"},
        {"log-level: loud\n", ":1:12: log-level: error, warn, info or debug expected"},
        {"policy: ''\n", ":1:9: policy: a value expected"},
        {"queue: no\n", ":1:8: queue: a number from 1 to 65536 expected"},
        {"queue: [1]\n", ":1:8: queue: one value expected"},
        {"queue: 1\nqueue: 2\n", ":2:1"},
        {"- queue\n", ":1:1"},
        {"queue: &a 1\n", ":1:"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(with_file(cases[i].yaml, NULL));
        if (strstr(err.text, cases[i].place) == NULL) {
            fail_msg("%s: %s", cases[i].yaml, err.text);
        }
    }
    assert_true(with_file("", NULL));
}

static void defaults_work_and_places_are_found(void **state)
{
    (void)state;
    assert_true(with("--log-level=warn", NULL));
    assert_int_equal(config.command, COMMAND_RUN);
    assert_string_equal(config.service.listen, "127.0.0.1:8470");
    assert_string_equal(config.service.log, "/tmp/x/decisions.jsonl");
    assert_true(config.service.threads >= 1);
    assert_non_null(config.service.operators);
}

static void what_belongs_together_is_asked_for_together(void **state)
{
    (void)state;
    assert_false(with("--tls-certificate=/a", NULL));
    assert_true(with("--tls-certificate=/a", "--tls-key=/b"));
}

static void commands_are_read(void **state)
{
    (void)state;
    assert_true(with("--check", NULL));
    assert_int_equal(config.command, COMMAND_CHECK);
    assert_true(with("--hash-token", "--role=admin"));
    assert_int_equal(config.command, COMMAND_HASH_TOKEN);
    assert_string_equal(config.role, "admin");
    assert_false(with("--chekc", NULL));
    assert_false(with("check", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_units_and_bounds),
        cmocka_unit_test(a_mode_is_octal),
        cmocka_unit_test(the_command_line_overrides_the_file),
        cmocka_unit_test(faults_of_a_file_have_a_place),
        cmocka_unit_test(defaults_work_and_places_are_found),
        cmocka_unit_test(what_belongs_together_is_asked_for_together),
        cmocka_unit_test(commands_are_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
